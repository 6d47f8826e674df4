import { quote } from "@hookwarden/sandbox/json";
import { type LintCode, lintTable } from "./lint/index.ts";
import { type Finding, finding } from "./finding.ts";

/** A finding that somebody has looked at and accepted, in a comment of the source. */
export interface Allowed {
  readonly code: LintCode;
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

interface Allowance extends Allowed {
  used: boolean;
}

const comment = /\/\/\s*hookwarden-allow\s+([a-z-]+)\s*(?::\s*(.*))?$/;

/**
 * Comments such as `// hookwarden-allow clock-reliance: a reminder on Fridays` in the sources of a pack. Each holds for
 * its own line and the next one, for one code, and must give a reason.
 *
 * They count only in a check of one's own pack. A review of a third party's pack shows every finding: the author of the
 * code wrote the comments too.
 */
export class Allowances {
  readonly #all: Allowance[] = [];
  readonly #wrong: Finding[] = [];
  readonly #files = new Set<string>();

  /** @param file path in the pack. */
  read(file: string, text: string): void {
    if (this.#files.has(file)) return;
    this.#files.add(file);
    for (const [index, line] of text.split("\n").entries()) {
      const [, code, reason = ""] = comment.exec(line.trimEnd()) ?? [];
      if (code === undefined) continue;
      const place = { file, line: index + 1 };
      if (!Object.hasOwn(lintTable, code)) {
        this.#wrong.push(
          finding("allowance-useless", null, `there is no finding ${quote(code)} of code`, place),
        );
      } else if (reason.trim() === "") {
        this.#wrong.push(
          finding("allowance-useless", null, `${quote(code)} is allowed without a reason`, place),
        );
      } else {
        this.#all.push({ code: code as LintCode, ...place, reason: reason.trim(), used: false });
      }
    }
  }

  /** Whether a finding is allowed where it is. */
  covers({ code, place: { file, line = 0 } }: Finding): boolean {
    const allowance = this.#all.find(
      (one) => one.code === code && one.file === file && (one.line === line || one.line === line - 1),
    );
    if (allowance) allowance.used = true;
    return allowance !== undefined;
  }

  /** Allowances that have been needed. */
  used(): readonly Allowed[] {
    return this.#all
      .filter(({ used }) => used)
      .map(({ code, file, line, reason }) => ({ code, file, line, reason }));
  }

  /** Allowances that allow nothing. */
  findings(): readonly Finding[] {
    const idle = this.#all
      .filter(({ used }) => !used)
      .map(({ code, file, line }) =>
        finding("allowance-useless", null, `${quote(code)} is allowed, and there is none`, { file, line }),
      );
    return [...this.#wrong, ...idle];
  }
}
