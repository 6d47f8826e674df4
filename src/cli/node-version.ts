/**
 * Why this Node.js cannot run hookwarden, as one sentence; `null` if it can. The build puts this function in front of
 * every file of a package, so it uses old syntax only, and nothing from outside.
 */
export function nodeProblem(): string | null {
  const oldest = 24;
  if (Number.parseInt(process.versions.node, 10) >= oldest) return null;
  return `node-too-old: hookwarden needs Node.js ${oldest} or newer; this is ${process.version} (${process.execPath}). Install a newer one, for example with \`nvm install ${oldest}\`.`;
}
