import type { CaseResult } from "hookwarden/check";
import type { HookReport, TestReport } from "../test-pack.ts";
import { plural, visible, paragraph, Table, type Terminal } from "hookwarden/cli";

/** Draws the results of cases for people: a row for each hook, and below it what failed, field by field. */
export class TestPrinter {
  readonly #terminal: Terminal;
  readonly #table: Table;
  #begun = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#table = new Table(terminal, [
      { title: "HOOK", width: 36 },
      { title: "CASES", width: 6, right: true },
      { title: "FAILED", width: 6, right: true },
      { title: "ms", width: 7, right: true },
    ]);
  }

  async hook({ hook, results, durationMs }: HookReport): Promise<void> {
    const failed = results.filter(({ failures }) => failures.length > 0);
    const style = failed.length === 0 ? "green" : "red";
    await this.#row([
      { text: hook, style },
      String(results.length),
      failed.length === 0 ? "" : { text: String(failed.length), style },
      String(Math.round(durationMs)),
    ]);
    // What fails in the same way on both engines is reported once.
    const groups = Map.groupBy(failed, ({ pointer, failures }) => pointer + JSON.stringify(failures));
    for (const group of groups.values()) await this.#failure(group);
  }

  /** A hook without cases is no failure; its reviewer should know. */
  async untested({ hook }: HookReport): Promise<void> {
    await this.#row([{ text: hook, style: "yellow" }, "none", "", ""]);
  }

  async end({ passed, failed, engines, hooks, durationMs, coverage }: TestReport): Promise<void> {
    const untested = hooks.filter((hook) => hook.untested).length;
    const parts = [
      `${plural(passed + failed, "case")} on ${engines.join(" and ")}`,
      failed > 0 ? `${failed} failed` : passed === 0 ? "nothing was tested" : "all passed",
      ...(untested > 0 ? [`${plural(untested, "hook")} without cases`] : []),
      `${(durationMs / 1_000).toFixed(1)} s`,
    ];
    const text = parts.join("; ");
    await this.#terminal.line(
      `\n${paragraph(this.#terminal, 0, { text, style: failed > 0 ? "red" : untested > 0 ? "yellow" : "green" })}`,
    );
    if (!coverage) return;
    const { coverageTable } = await import("../cover/index.ts");
    // Names of files are text from outside too.
    const table = coverageTable(coverage).split("\n").map(visible).join("\n");
    await this.#terminal.line(`\n${table}`);
    if (coverage.lost > 0) {
      const lost = `${plural(coverage.lost, "call")} went over a limit while counting, and is not counted`;
      await this.#terminal.line(paragraph(this.#terminal, 0, { text: lost, style: "yellow" }));
    }
  }

  async #row(cells: Parameters<Table["row"]>[0]): Promise<void> {
    if (!this.#begun) await this.#terminal.line(this.#table.head());
    this.#begun = true;
    await this.#terminal.line(this.#table.row(cells));
  }

  async #failure(group: readonly CaseResult[]): Promise<void> {
    const { name, file, pointer, failures, events } = group[0] as CaseResult;
    const terminal = this.#terminal;
    const engines = group.map(({ engine }) => engine).join(" and ");
    await terminal.line(paragraph(terminal, 2, { text: `${name} (${engines})`, style: "bold" }));
    await terminal.line(paragraph(terminal, 4, { text: `${file} at ${pointer}`, style: "dim" }));
    for (const { step, differences } of failures) {
      if (events > 1) await terminal.line(paragraph(terminal, 4, `event ${step + 1}:`));
      for (const { field, wanted, got } of differences) {
        await terminal.line(paragraph(terminal, 4, { text: field, style: "yellow" }));
        if (wanted === "") continue;
        await terminal.line(paragraph(terminal, 6, `wanted ${wanted}`));
        await terminal.line(paragraph(terminal, 6, `got    ${got}`));
      }
    }
  }
}
