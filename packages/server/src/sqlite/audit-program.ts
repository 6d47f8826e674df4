/** Where the audit's thread starts: here the sources run as they are; in the package there is one file for each thread. */
export function auditProgram(): URL {
  return new URL(
    import.meta.url.endsWith(".ts") ? "./audit-worker.ts" : "./audit-worker.js",
    import.meta.url,
  );
}
