import { markup, type Markup } from "@hookwarden/testing/html";
import type { Dependency } from "../report.ts";
import { codes, count, guest, table } from "./texts.ts";

/** The packages that the hooks are compiled with; folded, since most packs have none or few. */
export function dependencies(all: readonly Dependency[]): Markup | null {
  if (all.length === 0) return null;
  return markup`<details class="more" aria-labelledby="dependencies">
    <summary><h2 id="dependencies">${count(all.length, "dependency", "dependencies")}</h2></summary>
    ${table(
      "Dependencies",
      ["package", "licence", "from", "scripts at installation", "in"],
      all.map(({ name, version, licence, origin, integrity, locked, installScripts, hooks }) => [
        markup`<code>${name}</code> ${version ?? ""}`,
        licence ?? markup`<span class="quiet">–</span>`,
        origin === null
          ? markup`<span class="quiet">${locked ? "no address in the lockfile" : "in no lockfile"}</span>`
          : markup`<code class="wrap">${guest(origin)}</code>${integrity ? "" : ", no checksum"}`,
        installScripts.length === 0
          ? "none"
          : markup`<span class="text-medium">${installScripts.join(", ")}</span>`,
        codes(hooks),
      ]),
      "wide",
    )}
  </details>`;
}
