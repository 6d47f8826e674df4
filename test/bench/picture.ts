import type { Measured } from "./rounds.ts";

const [left, width, row, top] = [420, 900, 24, 44];

/** A bar for each case on a logarithmic scale, as SVG that is readable in light and dark pages. */
export function picture(results: readonly Measured[]): string {
  const shown = results.filter(({ name }) => !name.includes("bare round trip"));
  const most = Math.log10(Math.max(...shown.map(({ us }) => us)));
  const least = Math.floor(Math.log10(Math.min(...shown.map(({ us }) => us))));
  const x = (us: number): number => left + ((Math.log10(us) - least) / (most - least)) * (width - left - 70);
  const height = top + shown.length * row + 12;
  const ticks = Array.from({ length: Math.floor(most) - least + 1 }, (_, at) => least + at).map((power) => {
    const at = x(10 ** power).toFixed(0);
    return `<line x1="${at}" y1="${top - 6}" x2="${at}" y2="${height - 8}" stroke="#8884"/><text x="${at}" y="${top - 12}" text-anchor="middle" fill="#888">${labelOf(10 ** power)}</text>`;
  });
  const bars = shown.map(({ name, us }, index) => {
    const y = top + index * row;
    const ours = /^(?:sandbox\.call|dispatch)/.test(name);
    return `<text x="${left - 8}" y="${y + 15}" text-anchor="end" fill="${ours ? "#2a7de1" : "#888"}">${escape(name)}</text><rect x="${left}" y="${y + 4}" width="${Math.max(1, x(us) - left).toFixed(0)}" height="${row - 8}" rx="2" fill="${ours ? "#2a7de1" : "#888"}"/><text x="${(x(us) + 6).toFixed(0)}" y="${y + 15}" fill="#888">${labelOf(us)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Time of one decision, in hookwarden and in other ways">
<title>Time of one decision on an event of 1 KB: median, logarithmic scale</title>
${[...ticks, ...bars].join("\n")}
</svg>
`;
}

function labelOf(us: number): string {
  return us < 1_000 ? `${Number(us.toPrecision(2))} µs` : `${Number((us / 1_000).toPrecision(2))} ms`;
}

function escape(text: string): string {
  return text.replaceAll("`", "").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
