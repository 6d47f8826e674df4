/** Severity of a finding. `high`: explain before installing; `medium`: inspect; `low` and `info`: for information. */
export const severities = ["high", "medium", "low", "info"] as const;
export type Severity = (typeof severities)[number];

/** What a code means and what a reviewer should do. `docs/review-codes.md` is generated from this table. */
export interface ReviewRow {
  /** The highest severity of a finding with this code. */
  readonly severity: Severity;
  readonly means: string;
  readonly advice: string;
}

/** Every code of a review. */
export const reviewTable = {
  "trigger-tenant": {
    severity: "high",
    means: "the verdict or a condition in the code depends on the tenant's name",
    advice:
      "A policy for every tenant needs no tenant names. Move tenant-specific behaviour to the configuration.",
  },
  "trigger-time": {
    severity: "high",
    means: "the verdict or a condition in the code depends on the date or time of day",
    advice: "Find out what happens on the other side of that date, and why the guard needs a calendar.",
  },
  "trigger-session": {
    severity: "high",
    means:
      "the verdict or a condition in the code depends on an identifier: session, agent, tool call or decision",
    advice: "Identifiers say nothing about what a tool does. Use them only as keys for state.",
  },
  "trigger-random": {
    severity: "high",
    means: "the verdict or a condition in the code depends on randomness",
    advice: "A guard that skips checks at random cannot be tested. Leave sampling to the host.",
  },
  "trigger-state": {
    severity: "high",
    means: "stored state makes the hook permit what it stops without state",
    advice:
      "Determine what must happen before the hook permits the action, and whether an agent can cause it.",
  },
  "trigger-config": {
    severity: "high",
    means: "the code compares the configuration with a value that its schema does not document",
    advice: "An undocumented switch is a back door. Document it in the schema or remove it from the code.",
  },
  "trigger-text": {
    severity: "high",
    means: "a word that does not change the action makes the hook permit what it otherwise stops",
    advice: "Anyone who can write to that field, including the model, can bypass the hook.",
  },
  "trigger-unicode": {
    severity: "high",
    means: "an invisible character makes the hook permit what it otherwise stops",
    advice: "Anyone who can write to that field can bypass the hook, and the bypass is invisible in logs.",
  },
  "trigger-size": {
    severity: "high",
    means: "a long text makes the hook permit what it otherwise stops",
    advice: "Padding is free for an attacker. Ask about or deny input that is too long to inspect.",
  },
  "trigger-field": {
    severity: "high",
    means: "a field unrelated to the action makes the hook permit what it otherwise stops",
    advice: "Find out who writes that field. If it is the model or a server, it can bypass the hook.",
  },
  "trigger-prototype": {
    severity: "high",
    means:
      "a name such as `constructor` is found in a lookup table through its prototype and bypasses the check",
    advice: "Use a `Map`, `Object.hasOwn` or an object without a prototype.",
  },
  "trigger-type": {
    severity: "medium",
    means: "a list or an object in place of a text makes the hook permit what it otherwise stops",
    advice: "Deny or ask about what is not text: a host may still understand it.",
  },
  "trigger-fact": {
    severity: "medium",
    means: "a fact that is not known, or names nothing, makes the hook permit what it otherwise stops",
    advice: "Treat `ok: false` as the worst case. A text beyond the limits of a fact is easily written.",
  },
  "when-opens": {
    severity: "high",
    means: "the condition `when` of a subscription lets past an event that the hook would stop",
    advice: "A hook that is not called stops nothing. Read the condition, and compare the pair of events.",
  },
  "condition-unmet": {
    severity: "high",
    means: "a condition on the input came out the same way in every run, and the other way lets the step go",
    advice:
      "Name an event that meets it. `high` where it is arithmetic, so that what meets it cannot be read off the code.",
  },
  "stateful-pattern": {
    severity: "medium",
    means: "a pattern with the flag `g` or `y` outlives the question: it starts where the last one ended",
    advice: "Remove the flag. The second question about the same text has another answer.",
  },
  "feels-review": {
    severity: "high",
    means: "the code asks how it is run: for its own source text, stack traces, or what earlier calls left",
    advice: "A policy has no use for it. It can behave otherwise while it is reviewed.",
  },
  "leak-difference": {
    severity: "high",
    means:
      "two events that differ only in a secret of the same form get different texts, spaces, order or state",
    advice: "The output carries data of the event in a form that no decoder knows. Compare the pair.",
  },
  "rewrite-target": {
    severity: "high",
    means: "a rewrite changes a host, a registry or permissions, or removes an option that protects",
    advice: "Compare what ran with what was asked for. A rewrite should not change where data goes.",
  },
  "text-unwritten": {
    severity: "medium",
    means: "the code contains texts with addresses or orders that no run has written",
    advice: "Read them, and find out when they are written.",
  },
  "pattern-changed": {
    severity: "high",
    means: "a pattern of this version no longer matches texts that the reviewed version matched",
    advice: "The evidence lists such texts. Find out why they should pass now.",
  },
  "case-fails": {
    severity: "medium",
    means: "a case of the hook fails",
    advice: "The hook does not do what its author says. Have that fixed first.",
  },
  "stopped-early": {
    severity: "medium",
    means: "the review ended before its runs did",
    advice: "Repeat it on a faster or less loaded machine. What was not run was not seen.",
  },
  "compare-hash": {
    severity: "high",
    means: "the code compares a value computed from its input with a constant that no run matched",
    advice:
      "The matching input cannot be found by reading the code. Ask for the plain text and for what happens on a match.",
  },
  "hidden-text": {
    severity: "high",
    means: "the code builds texts from numbers, fragments or an encoding, and uses them",
    advice: "The evidence lists the resulting texts. Ask why the code does not contain them in plain form.",
  },
  "leak-encoded": {
    severity: "high",
    means: "the hook's output contains event data in a form that people cannot read",
    advice: "A reason never needs base64, hexadecimal or invisible characters.",
  },
  "leak-address": {
    severity: "high",
    means: "the hook writes URLs that carry event data",
    advice: "A client that renders or fetches such a URL sends the data to its owner.",
  },
  "leak-field": {
    severity: "high",
    means: "data from one field is written to another field with a different destination",
    advice: "A tool or provider receives data that was not meant for it. Ask why the rewrite needs it.",
  },
  "leak-state": {
    severity: "high",
    means: "data from one event is stored and disclosed at another event",
    advice: "Data read in one place is disclosed in another. Find out who reads it there.",
  },
  "leak-bulk": {
    severity: "high",
    means:
      "texts for people or the model repeat secrets, where other words are not repeated, or long parts of what the hook reads",
    advice: "A reason needs only a short quotation. Check whether the repeated text can contain secrets.",
  },
  "text-instructs": {
    severity: "high",
    means: "the hook writes texts that give the model instructions typical of prompt injection",
    advice: "Read the text. A policy should only tell the model about the step at hand.",
  },
  "text-hidden": {
    severity: "high",
    means: "the hook writes invisible characters",
    advice: "They are stripped from decisions but remain in rewritten fields. Find out what they encode.",
  },
  "rewrite-command": {
    severity: "high",
    means: "a rewrite adds a command, URL or code that the event did not contain",
    advice: "The hook makes the agent do something the agent did not ask for. Find out why.",
  },
  "allow-opens": {
    severity: "high",
    means: "the hook answers `allow`, without asking a person, for events close to ones that it stops",
    advice: "Compare the pair of events. An `allow` should follow from an explicit list, not from a word.",
  },
  "read-hidden": {
    severity: "high",
    means: "the verdict depends on a field for which no read was recorded",
    advice: "The hook reads in a way that evades recording. Do not install it.",
  },
  "watched-differs": {
    severity: "high",
    means: "the hook answers differently while its reads are recorded",
    advice: "Ordinary code cannot detect recording. Do not install the hook until this is explained.",
  },
  "not-deterministic": {
    severity: "high",
    means: "the same input produced two different answers",
    advice: "Decisions cannot be replayed, and test results are not reliable.",
  },
  "engine-differs": {
    severity: "medium",
    means: "the two engines produced different answers",
    advice:
      "Check whether the code detects its engine. The pack decides differently after a change of engine.",
  },
  "patches-builtins": {
    severity: "high",
    means: "the code modifies built-in objects or their prototypes",
    advice: "This changes how the hook's own libraries work. A hook has no need for it.",
  },
  "watches-access": {
    severity: "medium",
    means: "the code uses proxies, or getters with side effects",
    advice: "A value that changes between reads can evade a check. Find out what is done with it.",
  },
  "dynamic-name": {
    severity: "high",
    means: "properties are accessed under names built at run time",
    advice: "The evidence lists the resulting names for code that ran.",
  },
  "dynamic-code": {
    severity: "medium",
    means: "the code uses `eval`, `Function` or another way to run text as code",
    advice: "The sandbox blocks it. Find out what was meant to run.",
  },
  "encoded-literal": {
    severity: "medium",
    means: "the code contains a long text that looks encoded, or a long list of small numbers",
    advice: "Ask what it contains. Lookup tables have meaningful names; payloads do not.",
  },
  "literal-date": {
    severity: "medium",
    means: "the code contains a date",
    advice: "Check what it is compared with.",
  },
  "literal-name": {
    severity: "medium",
    means: "the code compares the tenant or an identifier with a literal name",
    advice: "Find out whose name it is and what happens on a match.",
  },
  "unreadable-module": {
    severity: "high",
    means: "a module is minified or obfuscated and cannot be reviewed",
    advice: "Ask for its source and compare it with the published package.",
  },
  "dependency-risk": {
    severity: "high",
    means:
      "a package in the hook differs from what was published, runs scripts when it is installed, or does not come from a registry with a checksum",
    advice: "Install it again without scripts, and find out who publishes it and who changed it.",
  },
  "branch-uncovered": {
    severity: "medium",
    means: "no run executed a branch of the code",
    advice: "Read the branch. Behaviour that a test suite does not see can hide here.",
  },
  "cost-burst": {
    severity: "high",
    means: "a small event makes the hook reach a limit, or costs far more than other events of its size",
    advice: "Anyone who writes the event can make the hook fail. Check what happens on failure.",
  },
  "cost-growth": {
    severity: "medium",
    means: "the cost grows faster than the size of the event",
    advice: "Check the curve and the input size at which a limit is reached.",
  },
  "cost-always": {
    severity: "medium",
    means: "every call uses a large part of the hook's budget",
    advice: "Find out what it computes.",
  },
  "fault-opens": {
    severity: "high",
    means: "a hostile event makes the hook fail open",
    advice: "Make the hook fail closed, or fix the failure.",
  },
  "fault-provoked": {
    severity: "low",
    means: "a hostile event makes the hook fail closed",
    advice: "The author of an event can block the agent this way.",
  },
  "power-allow": {
    severity: "medium",
    means: "the hook may approve actions on behalf of a person",
    advice: "Check under Behaviour when it does.",
  },
  "power-unused": {
    severity: "low",
    means: "the hook requests an action that it did not use in any run",
    advice: "Remove the action from the grant. It can be granted again when needed.",
  },
  "reads-too-much": {
    severity: "low",
    means: "the hook declares reads that no run needed",
    advice: "Grant the smaller list from the report.",
  },
  "reads-identity": {
    severity: "low",
    means:
      "the hook reads the tenant, an identifier, the time or randomness, without a visible effect on its verdicts",
    advice: "No action is needed; no verdict was seen to depend on it.",
  },
  "load-fails": {
    severity: "high",
    means: "the hook does not load, so every call fails",
    advice: "The behaviour of the hook could not be reviewed.",
  },
  "opened-since": {
    severity: "high",
    means: "this version permits what the reviewed version stopped, or has new powers",
    advice: "Compare the pairs under “Changes since the last review”.",
  },
} as const satisfies Record<string, ReviewRow>;

export type ReviewCode = keyof typeof reviewTable;
