import { dirname, join, resolve } from "node:path";
import { version } from "../version.ts";
import { exists } from "./write.ts";

/** Whether a folder is in a project already: it, or a folder above it, has a `package.json` or a Git repository. */
export async function isInProject(folder: string): Promise<boolean> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    for (const name of ["package.json", ".git"]) if (await exists(join(at, name))) return true;
    if (dirname(at) === at) return false;
  }
}

/** Settings for editors and `tsc`, the same that `hookwarden check` uses: a hook has no library but the language's own. */
export function packTsconfig(): ReadonlyMap<string, string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "esnext",
    lib: ["esnext"],
    types: ["hookwarden/globals"],
    module: "esnext",
    moduleResolution: "bundler",
    moduleDetection: "force",
    allowJs: true,
    checkJs: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    skipLibCheck: true,
  };
  const tsconfig = { compilerOptions, include: ["**/*.ts", "**/*.js"], exclude: ["node_modules", "base"] };
  return new Map([["tsconfig.json", text(tsconfig)]]);
}

/** What makes a folder with a pack a project of its own: dependencies, scripts and a workflow for GitHub Actions. */
export function projectFiles(name: string): ReadonlyMap<string, string> {
  return new Map([
    [
      "package.json",
      text({
        name,
        private: true,
        type: "module",
        engines: { node: ">=24" },
        scripts: { check: "hookwarden check . --strict", test: "hookwarden test ." },
        devDependencies: {
          "@hookwarden/testing": `^${version()}`,
          hookwarden: `^${version()}`,
          typescript: "^6.0.0",
        },
        // npm 11 asks before a package may run its scripts; the compiler of hooks needs its own.
        allowScripts: { esbuild: true },
      }),
    ],
    [".gitignore", "node_modules/\ncoverage/\nbase/\n*.jwk\n"],
    [".github/workflows/policies.yml", workflow],
  ]);
}

/** What differs between the base of a pull request and its head is in the job's log; an opening fails the job. */
const workflow = `name: policies
on:
  push: { branches: [main] }
  pull_request:
permissions: { contents: read }
jobs:
  policies:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
        with: { fetch-depth: 0, persist-credentials: false }
      - uses: actions/setup-node@v5
        with: { node-version: 24 }
      - run: npm install
      - run: npx hookwarden check . --strict
      - run: npx hookwarden test .
      - name: What the change opens
        if: github.event_name == 'pull_request'
        run: |
          git worktree add base "origin/$GITHUB_BASE_REF"
          npx hookwarden diff base . --events events.jsonl
`;

function text(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
