import { markup, type Markup } from "@hookwarden/testing/html";
import type { HookReview, Power } from "../report.ts";
import { codes, list, sentence, table, thousands } from "./texts.ts";

export function powers({ powers: section }: HookReview): Markup {
  const { list: all, unused, alone, on, state, limits } = section;
  const granted = all.filter((power) => power.granted);
  const refused = all.filter((power) => !power.granted);
  return markup`<p>Most dangerous first.</p>
    <ol class="plain powers">
      ${granted.map(row)}
    </ol>
    ${
      refused.length > 0
        ? markup`<h4>Requested but not granted</h4>
            ${list(
              refused.map(({ sentence: text }) => sentence(text)),
              "",
            )}`
        : null
    }
    ${
      unused.length > 0
        ? markup`<h4>Requested but never used</h4>
            ${list(
              unused.map(({ name, sentence: text }) => markup`<code>${name}</code>: ${text}`),
              "",
            )}`
        : null
    }
    ${alone.length > 0 ? markup`<p>No other hook of the pack has ${codes(alone)}.</p>` : null}
    <h4>When it runs</h4>
    ${table(
      "Events",
      ["event", "matcher", "only when", "when it fails"],
      on.map(({ event, matcher, when, onFailure }) => [
        markup`<code>${event}</code>`,
        matcher === null ? "all names" : markup`<code>${matcher}</code>`,
        when === null ? "always" : markup`<code class="wrap">${when}</code>`,
        onFailure === "closed"
          ? "closed: the step is stopped"
          : markup`<span class="text-medium">open: the step continues</span>`,
      ]),
    )}
    <p class="quiet">
      ${state ? `Keeps up to ${thousands(state.maxBytes)} bytes of state for each ${state.scope}. ` : "Keeps no state. "}Limits:
      ${Object.entries(limits)
        .map(([limit, value]) => `${limit} ${thousands(value)}`)
        .join(", ")}.
    </p>`;
}

function row({ sentence: text, danger, used, others }: Power): Markup {
  const level = danger >= 70 ? "high" : danger >= 40 ? "medium" : "low";
  const how = used
    ? used.recorded + used.generated === 0
      ? "never used"
      : `used ${thousands(used.recorded)} × on recorded events, ${thousands(used.generated)} × on others`
    : null;
  return markup`<li class="power">
    <svg class="meter ${level}" viewBox="0 0 100 8" role="img" aria-label="danger ${danger} of 100">
      <rect class="rail" width="100" height="8" rx="4" />
      <rect class="fill" width="${Math.max(4, Math.min(100, danger))}" height="8" rx="4" />
    </svg>
    <div>
      <p>${sentence(text)}</p>
      ${how !== null || others.length > 0 ? markup`<p class="quiet">${[how, others.length > 0 ? `also ${others.slice(0, 5).join(", ")}${others.length > 5 ? ` and ${others.length - 5} more` : ""}` : null].filter((part) => part !== null).join(" · ")}</p>` : null}
    </div>
  </li>`;
}
