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
      ["package", "licence", "published", "from", "as published", "scripts at installation", "in"],
      all.map(
        ({
          name,
          version,
          licence,
          published,
          origin,
          integrity,
          locked,
          changed,
          installScripts,
          hooks,
        }) => [
          markup`<code>${name}</code> ${version ?? ""}`,
          licence ?? markup`<span class="quiet">–</span>`,
          published?.slice(0, 10) ?? markup`<span class="quiet">unknown</span>`,
          origin === null
            ? markup`<span class="quiet">${locked ? "no address in the lockfile" : "in no lockfile"}</span>`
            : markup`<code class="wrap">${guest(origin)}</code>${integrity ? "" : ", no checksum"}`,
          changed === null
            ? markup`<span class="quiet">unknown</span>`
            : changed.length === 0
              ? "yes"
              : markup`<span class="text-high">no: ${codes(changed.slice(0, 4))}</span>`,
          installScripts.length === 0
            ? "none"
            : markup`<span class="text-medium">${installScripts.join(", ")}</span>`,
          codes(hooks),
        ],
      ),
      "wide",
    )}
  </details>`;
}
