#!/usr/bin/env node
/**
 * The command line. The build puts a check of the Node.js version in front of this file, so the rest is loaded only
 * afterwards: an old Node.js may not be able to read it. The name is computed to keep the bundler from following it.
 */
await import(import.meta.url.replace(/main\.ts$|cli\.js$/, (name) => name.replace(/main|cli/, "start")));
