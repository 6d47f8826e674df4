import { wordsOf } from "@hookwarden/testing/mutate";
import type { Pattern } from "../program/patterns.ts";

/**
 * Secrets of one form: the same length, letters where letters are and digits where digits are, so that an honest pattern
 * matches all of them. Three, so that a form that keeps a few bits of them shows in one pair at least.
 */
export type Form = readonly [prefix: string, a: string, b: string, c: string];

const short = ["kT7qz2Mx", "zR4xw9Cl", "bH9mv3Jd"] as const;
const long = ["kT7qz2Mxw8Vb4Nf6", "zR4xw9Clh5Jq1Ky3", "bH9mv3Jdt2Wp7Xg8"] as const;

export const forms: readonly Form[] = [
  ["AKIA", "Q7ZK3M5N7P9R1T3V", "X2WB8C4D6F0G5H7J", "B9LY1V6S4K2J8Q5D"],
  [
    "ghp_",
    "q7Zk3m5N7p9R1t3Vx2Wb8c4D6f0G5h7Jk8Lq",
    "b9Ly1v6S4k2J8q5Dz3Mx7n1P0r6T9y2Gw4Hs",
    "m4Tc8j2W9x5B1h7Vs6Qk0d3F2z9L8p1Nr5Gy",
  ],
  ["sk-", "q7Zk3m5N7p9R1t3Vx2Wb8c4D", "b9Ly1v6S4k2J8q5Dz3Mx7n1P", "m4Tc8j2W9x5B1h7Vs6Qk0d3F"],
  ["password=", ...short],
  ["password: ", ...short],
  ["--password ", ...short],
  ["--password=", ...short],
  ["TOKEN=", ...long],
  ["API_KEY=", ...long],
  ["PASSWORD=", ...long],
  ["secret=", ...long],
  ["Cookie: session=", ...long],
  ["postgres://app:", "kT7qz2Mxw8Vb4Nf6@db", "zR4xw9Clh5Jq1Ky3@db", "bH9mv3Jdt2Wp7Xg8@db"],
  ["eyJhbGciOiJIUzI1NiJ9.", "kT7qz2Mxw8Vb4Nf6.q3Zj", "zR4xw9Clh5Jq1Ky3.v7Xm", "bH9mv3Jdt2Wp7Xg8.n5Lc"],
  [
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "kT7qz2Mxw8Vb4Nf6\n-----END RSA PRIVATE KEY-----",
    "zR4xw9Clh5Jq1Ky3\n-----END RSA PRIVATE KEY-----",
    "bH9mv3Jdt2Wp7Xg8\n-----END RSA PRIVATE KEY-----",
  ],
  ["token: ", ...long],
  ["Authorization: Bearer ", "kT7qz2Mxw8Vb4Nf6q3Zj", "zR4xw9Clh5Jq1Ky3v7Xm", "bH9mv3Jdt2Wp7Xg8n5Lc"],
  ["my api key is ", ...long],
  ["the password is ", ...short],
  ["", "kxqzvjwpha", "wqjvzkxpbu", "bzhqxkvjtd"],
];
/** Patterns of a hook that secrets are made for. */
const maxPatterns = 16;

/** Secrets of the forms that the hook itself looks for. */
export function secretsOf(patterns: readonly Pattern[]): readonly Form[] {
  const found = patterns.flatMap(({ source, flags }): readonly Form[] => {
    const [a = [], b = [], c = []] = long.map((filling) => wordsOf(source, flags, filling));
    return a.flatMap((one, at) => {
      const [two, three] = [b[at], c[at]];
      return two === undefined || three === undefined || one === two || two === three || !isSecret(one, two)
        ? []
        : [["", one, two, three] as const];
    });
  });
  return [...new Map(found.map((form) => [form[1], form])).values()].slice(0, maxPatterns);
}

/** Fewer letters that may be any are a word of a command, such as a cluster of flags. */
const minLetters = 8;

/** Whether two texts that a pattern matches differ in what may be a secret. */
function isSecret(one: string, two: string): boolean {
  const runs = one
    .replaceAll(/[^]/g, (letter, at: number) => (letter === two[at] ? " " : letter))
    .split(/ +/);
  return one.length !== two.length || runs.some((run) => run.length >= minLetters || /\d/.test(run));
}

/** A word that no hook looks for. */
export const ordinaryWord = "meadow";

/** A text that has the form of a secret and is made of an ordinary word. */
export function ordinaryOf(prefix: string, secret: string): string {
  return (
    prefix.replaceAll(/[a-z]{2,}/gi, ordinaryWord) +
    secret.replaceAll(/[a-z\d]+/gi, ({ length }) => ordinaryWord.repeat(length).slice(0, Math.max(6, length)))
  );
}
