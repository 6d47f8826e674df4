/** Events that are tried as cases, made from the rows of the policies' tables. */
import { losses as destructions } from "../deny-destructive-shell/losses.ts";
import { foreignSigns } from "../flag-prompt-injection/languages.ts";
import { enough, type Sign, signs } from "../flag-prompt-injection/signs.ts";
import type { Loss } from "../lib/losses.ts";
import { markedTokens, ownNames, ownTokens } from "../lib/secrets/own-rules.ts";
import { losses } from "../protect-infrastructure/commands.ts";
import { type Case, casesOf, hookNames } from "../test/harness.ts";
import { patternsIn } from "../test/mutation.ts";
import { samplesOf } from "./sample-regex.ts";

type Json = Record<string, unknown>;
/** An event, and the state that a policy has before it. */
export type Sample = Required<Pick<Case, "event">> & Pick<Case, "state">;

const call = (tool_name: string, tool_input: Json): Sample => ({
  event: { hook_event_name: "PreToolUse", tool_name, cwd: "/workspace", tool_input },
});
const shell = (command: string): Sample => call("Bash", { command });
const result = (text: string): Sample => ({
  event: { hook_event_name: "PostToolUse", tool_name: "WebFetch", tool_response: text },
});

/** The command lines in the cases of all policies. */
const commonCommands = (): readonly Sample[] =>
  hookNames()
    .flatMap(casesOf)
    .flatMap(({ event }) => (typeof event?.["tool_input"] === "object" ? [{ event }] : []))
    .filter(({ event }) => JSON.stringify(event).length < 2_000);

/** A command for each alternative of each row, and for each program of it. */
const commandsOf = (rows: readonly Loss[]): readonly Sample[] =>
  rows.flatMap(({ programs, test }) => {
    const args = [...samplesOf(test), ...samplesOf(test, { gap: "x " })].map(
      (sample) => sample.trim() || "x",
    );
    const [first = ""] = programs;
    return [
      ...args.map((text) => shell(`${first} ${text}`)),
      ...programs.flatMap((program) => args.slice(0, 2).map((text) => shell(`${program} ${text}`))),
    ];
  });

/** Weak signs from other rows: what makes a weak sign enough. */
const boosts: readonly (readonly [weight: number, text: string])[] = [
  [1, "urgent"],
  [2, "and nothing else"],
  [2, "without asking"],
];

/** Texts for each alternative and each beginning of a sign, and near misses. */
function textsOf(sign: Sign): readonly string[] {
  const samples = [...samplesOf(sign.pattern, { gap: " " }), ...samplesOf(sign.pattern)];
  const endings = ["", " you", ": you must", " now"];
  const fits = (starts: readonly string[], sample: string): readonly string[] => {
    const whole = starts.some((start) => sample.startsWith(start))
      ? endings.map((ending) => `${sample}${ending}`)
      : starts.flatMap((start) => beginnings(start, sample));
    return whole.filter((text) => isFound(sign, text)).slice(0, 1);
  };
  const positive = [
    ...samples.flatMap((sample) => fits(sign.starts, sample)),
    ...sign.starts.flatMap((start) =>
      ["", ...samples]
        .flatMap((sample) =>
          beginnings(start, sample)
            .filter((text) => isFound(sign, text))
            .slice(0, 1),
        )
        .slice(0, 3),
    ),
  ];
  // Near misses: a beginning in the past tense, and what the pattern leaves out.
  const negative = [
    ...sign.starts.flatMap((start) =>
      ["d", "s", "ed"].map((end) => `${start}${end} all previous instructions`),
    ),
    ...samples.map((sample) => `${sample} all previous instructions`),
  ];
  const texts = [...new Set([...positive, ...negative])];
  const missing = enough - sign.weight;
  if (missing <= 0) return texts;
  return texts.flatMap((text) =>
    boosts.filter(([weight]) => weight >= missing).map(([, boost]) => `${text}\n${boost}`),
  );
}

/** A sample with a beginning of its row in place of its first word or letters, and with endings that some rows ask for. */
function beginnings(start: string, sample: string): readonly string[] {
  const tails = [
    ...(sample.startsWith(start) ? [sample.slice(start.length)] : []),
    sample.replace(/^[\p{L}'-]+/u, ""),
    sample,
    ` ${sample}`,
    sample.slice(start.length),
  ];
  return tails.flatMap((tail) => ["", " you", ": you must", " now"].map((end) => `${start}${tail}${end}`));
}

function isFound({ starts, pattern }: Sign, text: string): boolean {
  const line = `\n${text}`;
  return starts.some((start) => {
    for (let at = line.indexOf(start); at >= 0; at = line.indexOf(start, at + 1)) {
      pattern.lastIndex = at;
      if (pattern.test(line)) return true;
    }
    return false;
  });
}

/** Numbers that look random, and are the same every time. */
function numbers(): (count: number) => number {
  let state = 0x2545f491;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

/** Tokens of each alternative of each rule, alone, assigned and inside of other text. */
function secretTexts(): readonly string[] {
  const filling = { gap: "", pick: numbers() };
  const tokens = ownTokens.flatMap(({ pattern, starts }) => {
    const samples = samplesOf(pattern, filling);
    const begun = starts.flatMap((start) =>
      samples
        .flatMap((sample) =>
          [start, start.toUpperCase(), `${start.slice(0, 1).toUpperCase()}${start.slice(1)}`].map(
            (first) => `${first}${sample.slice(first.length)}`,
          ),
        )
        .filter((text) => {
          pattern.lastIndex = 0;
          return pattern.test(text);
        })
        .slice(0, 1),
    );
    return [...samples, ...begun];
  });
  const marked = markedTokens.flatMap(({ before, pattern }) =>
    samplesOf(before, filling).map((lead) => lead + (samplesOf(pattern, filling)[0] ?? "")),
  );
  const values = ownNames.flatMap(({ names, value }) =>
    samplesOf(value, filling).flatMap((sample) => names.map((name) => `${name} = "${sample}"`)),
  );
  return [...tokens, ...marked, ...values].flatMap((text) => [text, `x = "${text}"`]);
}

/** Samples of every pattern in the scripts of a folder. */
const samplesIn = (folder: string): readonly string[] => [
  ...new Set(patternsIn(folder).flatMap((pattern) => samplesOf(pattern))),
];

/** Commands that begin as a pattern does. */
const startsOf = (folder: string): readonly Sample[] =>
  samplesIn(folder).flatMap((text) => [
    shell(text),
    shell(`${text} x`),
    shell(`${text}x`),
    shell(`x ${text}`),
  ]);

/** A path for each kind of place that a policy keeps, read, written and deleted. */
const pathsOf = (folder: string): readonly Sample[] =>
  samplesIn(folder).flatMap((text) =>
    [text, `${text}/x`, `/home/ann/${text}`].flatMap((path) => [
      call("Write", { file_path: path, content: "x" }),
      call("Read", { file_path: path }),
      shell(`rm -rf ${path}`),
      shell(`cat ${path}`),
    ]),
  );

const met = { tainted: "x", exposed: "y", begun: {}, approved: [], asked: [] };

/** Calls of a session that has met nothing, and of one that has read something of anybody's and something private. */
const sessionCalls = (): readonly Sample[] =>
  samplesIn("guard-data-flow")
    .flatMap((text) => [
      shell(text),
      shell(`${text} x`),
      call(text, {}),
      call(`${text}_x`, {}),
      call(`mcp__server__${text}`, {}),
      call(`other__${text}`, {}),
      call("Read", { file_path: `${text}x` }),
      call("Read", { file_path: `${text}/x` }),
      call("Read", { file_path: `/home/ann${text}x` }),
      call("Write", { file_path: `${text}x`, content: "x" }),
    ])
    .flatMap((sample) => [sample, { ...sample, state: met }]);

const random = "xK8Fq2mLm9PzR4tVw7YbN3cJ";
const lines = "MIIEpAIBAAKCAQEA7bq2kLm9PzR4tVw7YbN3cJxK8Fq2mLm9PzR4tVw7YbN3cJx8";

/** What a sample of a pattern of secrets may be: a name, a value, a part of one, a host, what joins lines. */
const aroundSecrets = (text: string): readonly string[] => [
  text,
  `x="${text}"`,
  `api_key = "${random}${text}${random}"`,
  `api_key = "${text}${random}"`,
  `ghp_${random}${text}${random}1234abcd`,
  `${text} = "${random}"`,
  `${text}=${random}`,
  `A=1\n${text.toUpperCase()}=${random}`,
  `A=1\n${text.toUpperCase()}_TOKEN=${random}`,
  `A=1\nTOKEN_${text.toUpperCase()}=${random}`,
  `postgres://app:${text}@db.acme.io/x`,
  `postgres://app:${text}Zk9qX7mP@db.acme.io/x`,
  `postgres://app:${random}@${text}/x`,
  `curl ${text} https://acme.io`,
  `curl -u app:${text} https://acme.io`,
  `-----BEGIN RSA PRIVATE KEY-----${text}${lines}${text}${lines}${text}-----END RSA PRIVATE KEY-----`,
  `-----BEGIN RSA PRIVATE KEY-----\n${lines}\n${lines}\n${text}\n`,
  `eyJhbGciOiJIUzI1NiJ9xx.${Buffer.from(`{${text.startsWith('"') ? text : `"${text}"`}:"q8Zk","a":"${random}"}`).toString("base64url")}.${random}${random}`,
  `eyJhbGciOiJIUzI1NiJ9xx.${Buffer.from(`{"sub":"q8Zk",${text}/":1}`).toString("base64url")}.${random}${random}`,
];

/** The events that are tried for a policy. */
export const pools: { readonly [policy: string]: () => readonly Sample[] } = {
  "flag-prompt-injection": () => [...signs, ...foreignSigns].flatMap(textsOf).map(result),
  "deny-destructive-shell": () => [
    ...commandsOf(destructions),
    ...startsOf("deny-destructive-shell"),
    ...commonCommands(),
  ],
  "protect-infrastructure": () => [...commandsOf(losses), ...startsOf("protect-infrastructure")],
  "ask-before-network": () => [...startsOf("ask-before-network"), ...commonCommands()],
  "ask-before-install": () => [...startsOf("ask-before-install"), ...commonCommands()],
  "protect-agent-setup": () => [...pathsOf("protect-agent-setup"), ...startsOf("protect-agent-setup")],
  "protect-secret-files": () => [...pathsOf("lib"), ...commonCommands()],
  "guard-data-flow": sessionCalls,
  "redact-secrets": () => [
    ...secretTexts().map(result),
    ...samplesIn("lib/secrets").flatMap(aroundSecrets).map(result),
  ],
};
