#!/usr/bin/env node
/** `npm create hookwarden`. As in `hookwarden` itself, the rest is loaded after the check of the Node.js version. */
import process from "node:process";

const index = import.meta.url.replace(/create\.(ts|js)$/, "index.$1");
const { createProject } = (await import(index)) as typeof import("./index.ts");

process.exitCode = await createProject(process.argv.slice(2));
