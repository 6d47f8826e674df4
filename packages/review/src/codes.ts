/** How bad a finding is. `high`: do not install before it is explained; `medium`: look at it; `low` and `info`: know it. */
export const severities = ["high", "medium", "low", "info"] as const;
export type Severity = (typeof severities)[number];

/** What a code means, and what a reviewer does about it. `docs/review-codes.md` is made from this table. */
export interface ReviewRow {
  /** The worst severity that it is given. */
  readonly severity: Severity;
  readonly means: string;
  readonly advice: string;
}

/** Every code of a review. */
export const reviewTable = {
  "trigger-tenant": {
    severity: "high",
    means: "the answer, or a condition in the code, depends on the name of the tenant",
    advice:
      "A policy for everybody has no reason to know names. Put what differs by tenant into configuration.",
  },
  "trigger-time": {
    severity: "high",
    means: "the answer, or a condition in the code, depends on the date or the time of day",
    advice: "Ask what happens on the other side of that date, and why a guard should have a calendar.",
  },
  "trigger-session": {
    severity: "high",
    means: "the answer, or a condition in the code, depends on an id: session, agent, tool call or decision",
    advice: "Ids say nothing of what a tool does. Nothing but a key for state should be made of them.",
  },
  "trigger-random": {
    severity: "high",
    means: "the answer, or a condition in the code, depends on chance",
    advice: "A guard that sometimes looks away cannot be tested. Sampling belongs to the host.",
  },
  "trigger-state": {
    severity: "high",
    means: "what the hook has kept in its state makes it open what it holds with no state",
    advice: "Look at what must have happened before it opens, and whether an agent can bring that about.",
  },
  "trigger-config": {
    severity: "high",
    means: "the configuration is compared with a value that its schema does not speak of",
    advice: "A switch that is not documented is a back door. Ask for it in the schema, or out of the code.",
  },
  "trigger-text": {
    severity: "high",
    means: "a word that changes nothing about the action makes the hook open what it holds",
    advice: "Whoever can write into that field, the model included, can switch the hook off.",
  },
  "trigger-unicode": {
    severity: "high",
    means: "a character that cannot be seen makes the hook open what it holds",
    advice: "Whoever can write into that field can switch the hook off, and nobody will see it in a log.",
  },
  "trigger-size": {
    severity: "high",
    means: "a long text makes the hook open what it holds",
    advice: "Padding costs an attacker nothing. What is too long to look at must be asked about or refused.",
  },
  "trigger-field": {
    severity: "high",
    means: "a field that has nothing to do with what is done makes the hook open what it holds",
    advice: "See who writes that field. If it is the model or a server, they can switch the hook off.",
  },
  "trigger-prototype": {
    severity: "high",
    means: "a name such as `constructor` is found in a table through its prototype, and opens the gate",
    advice: "Ask for a `Map`, `Object.hasOwn`, or an object without a prototype.",
  },
  "compare-hash": {
    severity: "high",
    means: "the code compares something computed from its input with a constant that no run has met",
    advice: "What meets it cannot be found by reading. Ask for the text itself, and what happens then.",
  },
  "hidden-text": {
    severity: "high",
    means: "the code makes texts out of numbers, pieces or an encoding, and uses them",
    advice: "The texts that came out are in the evidence. Ask why they do not stand there in the clear.",
  },
  "leak-encoded": {
    severity: "high",
    means: "data of the event stands in the hook's output in a form that people cannot read",
    advice: "Nothing honest needs base64, hexadecimal or invisible characters in a reason.",
  },
  "leak-address": {
    severity: "high",
    means: "the hook writes addresses that carry data of the event",
    advice: "A client that shows or fetches such an address sends the data to its owner.",
  },
  "leak-field": {
    severity: "high",
    means: "data of one field is written into another one that goes elsewhere",
    advice: "A tool or a provider gets what it was not meant to get. Ask why the rewrite needs it.",
  },
  "leak-state": {
    severity: "high",
    means: "data of one event is kept, and comes out at another event",
    advice: "What was read in one place is told in another. Ask who reads it there.",
  },
  "leak-bulk": {
    severity: "medium",
    means: "the hook repeats long parts of what it reads in texts for people or the model",
    advice: "A reason quotes a few words. See whether secrets can be among what it repeats.",
  },
  "text-instructs": {
    severity: "high",
    means: "the hook writes texts that give the model orders of the kind that injections have",
    advice: "Read the text. What a policy tells the model should be about the step at hand.",
  },
  "text-hidden": {
    severity: "high",
    means: "the hook writes characters that cannot be seen",
    advice: "They are stripped from decisions, and stay in what rewrites carry. Ask what they say.",
  },
  "rewrite-command": {
    severity: "high",
    means: "a rewrite adds a command, an address or code that the event did not have",
    advice: "The hook makes the agent do something of its own. Ask why.",
  },
  "allow-opens": {
    severity: "high",
    means: "the hook takes the person out of the loop for events near ones that it holds",
    advice: "See the pair of events. An `allow` should follow from a list, not from a word.",
  },
  "read-hidden": {
    severity: "high",
    means: "the answer depends on a field of which no read was recorded",
    advice: "The hook reads in a way that hides from the recorder. Do not install it.",
  },
  "watched-differs": {
    severity: "high",
    means: "the hook answers otherwise while its reads are recorded",
    advice: "Honest code cannot tell. Do not install it before it is explained.",
  },
  "not-deterministic": {
    severity: "high",
    means: "the same input gave two different answers",
    advice: "Decisions cannot be replayed, and tests prove nothing.",
  },
  "engine-differs": {
    severity: "medium",
    means: "the two engines gave different answers",
    advice:
      "See whether the code asks which engine it is on. A pack that moves to the other one changes its mind.",
  },
  "patches-builtins": {
    severity: "high",
    means: "the code changes built-in objects or their prototypes",
    advice: "It changes how its own libraries work. A hook has no need for that.",
  },
  "watches-access": {
    severity: "medium",
    means: "the code has proxies, or getters that do more than get",
    advice: "A value that answers differently when asked twice is a trick. See what is done with it.",
  },
  "dynamic-name": {
    severity: "medium",
    means: "properties are looked up under names that are put together at run time",
    advice: "The names that came out are in the evidence, where a run made them.",
  },
  "dynamic-code": {
    severity: "medium",
    means: "the code asks for `eval`, `Function` or other ways to run texts",
    advice: "The sandbox refuses them. What was meant to run?",
  },
  "encoded-literal": {
    severity: "medium",
    means: "the code holds a long text that looks encoded, or a long list of small numbers",
    advice: "Ask what it is. Tables have names; payloads do not.",
  },
  "literal-date": {
    severity: "medium",
    means: "a date stands in the code",
    advice: "See what it is compared with.",
  },
  "literal-name": {
    severity: "medium",
    means: "the tenant or an id is compared with a name that stands in the code",
    advice: "See whose name it is, and what happens then.",
  },
  "unreadable-module": {
    severity: "medium",
    means: "a module is minified or obfuscated, so that nobody can review it",
    advice: "Ask for its source, and compare the published package with it.",
  },
  "branch-uncovered": {
    severity: "medium",
    means: "no run has taken a branch of the code",
    advice: "Read it: this is where something can hide from a test suite.",
  },
  "cost-burst": {
    severity: "high",
    means: "a small event makes the hook run into a limit, or cost far more than others of its size",
    advice: "Whoever writes the event can make the hook fail. See what its failure does.",
  },
  "cost-growth": {
    severity: "medium",
    means: "the cost grows faster than the size of the event",
    advice: "Look at the curve and at the size where a limit falls.",
  },
  "cost-always": {
    severity: "medium",
    means: "every call uses a large part of the hook's budget",
    advice: "Ask what it computes.",
  },
  "fault-opens": {
    severity: "high",
    means: "a hostile event makes the hook fail, and its failure lets the step go on",
    advice: "Let it fail closed, or mend the failure.",
  },
  "fault-provoked": {
    severity: "low",
    means: "a hostile event makes the hook fail; the failure holds the step",
    advice: "The author of an event can stop the agent with it.",
  },
  "power-allow": {
    severity: "medium",
    means: "the hook may answer for the person",
    advice: "See in the behaviour when it does.",
  },
  "power-unused": {
    severity: "low",
    means: "the hook asks for an action that no run has seen it use",
    advice: "Take it out of the grant; it can be given back when it is needed.",
  },
  "reads-too-much": {
    severity: "low",
    means: "the hook declares reads that no run has needed",
    advice: "Grant the smaller list of the report.",
  },
  "reads-identity": {
    severity: "low",
    means: "the hook reads the tenant, an id, the time or chance, and nothing was seen to depend on it",
    advice: "Know it; nothing was seen to follow from it.",
  },
  "load-fails": {
    severity: "high",
    means: "the hook does not load, so that every call of it is a fault",
    advice: "Nothing could be reviewed.",
  },
  "opened-since": {
    severity: "high",
    means: "this version lets through what the reviewed version held, or has powers that it had not",
    advice: "Read the pairs in “since last time”.",
  },
} as const satisfies Record<string, ReviewRow>;

export type ReviewCode = keyof typeof reviewTable;
