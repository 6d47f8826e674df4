/** Modules that have no file: the build of the page makes them. */
declare module "hookwarden:engine" {
  const packed: Uint8Array;
  export default packed;
}
declare module "hookwarden:engine-version" {
  const version: string;
  export default version;
}
declare module "buffer/" {
  export { Buffer } from "node:buffer";
}
