import { readFileSync } from "node:fs";
import { stepsOf } from "../journeys/page-steps.ts";

const size = { width: 760, line: 19, left: 20, top: 52 };
/** Seconds between two commands. */
const pause = 1.6;
/** Commands of the page that the picture shows, by a text in them; of several, the last one. */
const shown = ["hookwarden run ", "hookwarden test ", "hookwarden verify "];

const colours: readonly (readonly [RegExp, string])[] = [
  [/^\$ /, "#e2e8f0"],
  [/\bdeny {2,}|do not rewrite/, "#f87171"],
  [/\bcontinue {2,}|all passed|signed by/, "#4ade80"],
];

/** The README's picture: what docs/getting-started.md shows, which a test compares with what is printed. */
export function terminalPicture(): string {
  const page = readFileSync(new URL("../../docs/getting-started.md", import.meta.url), "utf8");
  const steps = stepsOf(page).flatMap((step) => ("command" in step && step.printed !== null ? [step] : []));
  let y = size.top;
  const groups = shown.map((name, index) => {
    const step = steps.findLast(({ command }) => command.includes(name));
    if (!step) throw new Error(`docs/getting-started.md shows no output of \`${name}\``);
    const lines = [`$ ${step.command}`, ...(step.printed ?? "").trimEnd().split("\n")];
    const texts = lines.map((line) => {
      const colour = colours.find(([pattern]) => pattern.test(line))?.[1] ?? "#94a3b8";
      const text = `<text x="${size.left}" y="${y}" fill="${colour}" xml:space="preserve">${escaped(line)}</text>`;
      y += size.line;
      return text;
    });
    y += size.line;
    const delay = `animation-delay:${(index * pause).toFixed(1)}s`;
    return `<g class="step" style="${delay}">\n${texts.join("\n")}\n</g>`;
  });
  const title = "A force push is denied, the cases pass, and the signed bundle is verified";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${y}" role="img" aria-labelledby="title" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">
<title id="title">${title}</title>
<style>.step{animation:show .3s both}@keyframes show{from{opacity:0}}@media (prefers-reduced-motion:reduce){.step{animation:none}}</style>
<rect width="${size.width}" height="${y}" rx="10" fill="#0f172a"/>
<g fill="#475569"><circle cx="22" cy="20" r="6"/><circle cx="42" cy="20" r="6"/><circle cx="62" cy="20" r="6"/></g>
${groups.join("\n")}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
