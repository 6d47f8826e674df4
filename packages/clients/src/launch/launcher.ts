/** How to run a real client once, without credentials, so that it reaches only a stand-in model. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** Files that it needs: paths relative to the home folder. JSON is added to what a file already holds. */
  readonly files: { readonly [path: string]: string };
  /** Calls of the same program before the run, such as a login with a key that means nothing. */
  readonly before?: readonly (readonly string[])[];
}

export interface LaunchOptions {
  /** Path of the client's program. */
  readonly binary: string;
  /** An empty folder in the place of the person's home. */
  readonly home: string;
  /** An empty folder to work in. */
  readonly cwd: string;
  /** Base address of the stand-in model. */
  readonly url: string;
  readonly prompt: string;
  /** Whether the session needs the tool for patches, which Codex gives to certain models only. */
  readonly patches?: boolean;
  /** A program that serves MCP over standard input and output, and its arguments. */
  readonly mcp?: readonly [string, ...string[]];
}

export type Launcher = (options: LaunchOptions) => Launch;
