import { eventRows } from "hookwarden/catalogue";
import type { LoadedHook } from "hookwarden/pack";
import { type Fields, type Input, inputOf } from "../run/input.ts";
import { ordinaryCommands } from "./corpus/commands.ts";
import { ordinaryResults } from "./corpus/results.ts";

/** Ids, folders and times as agents have them: an event of a review must be indistinguishable from one of an agent. */
const sessions = [
  "8c1f0d52-6a4e-4b0c-9d1f-3e7a5b2c4d60",
  "b7e2a914-0f3d-4c58-8a6b-51d0c9e7f214",
  "2f9d6c3b-7e18-4da5-b04c-6a8f1e5d3b97",
];
const folders = ["/home/mia/src/shop", "/Users/tom/work/billing-api", "/srv/builds/web"];
const start = Date.UTC(2026, 1, 3, 8, 12, 41, 207);

function common(index: number): Fields {
  return {
    session_id: sessions[index % sessions.length],
    cwd: folders[index % folders.length],
    time: new Date(start + index * 73_421).toISOString(),
  };
}

/** Ordinary events of a hook's kinds: commands and results as agents have them, whatever the reviewer's agents did. */
export function corpusInputs(hook: LoadedHook): readonly Input[] {
  const events = [...new Set(hook.on.map(({ event }) => event))];
  return events.flatMap((event) => {
    const fields = eventRows.get(event)?.fields ?? {};
    const all: readonly Fields[] =
      "tool_response" in fields ? results() : "tool_name" in fields ? commands() : [];
    return all.flatMap(
      (one, index) =>
        inputOf(
          {
            ...common(index),
            ...one,
            hook_event_name: event,
            ...("error" in fields ? { error: "exit status 1" } : {}),
          },
          "sample",
          `built-in ${event} ${index + 1}`,
        ) ?? [],
    );
  });
}

function commands(): readonly Fields[] {
  return ordinaryCommands.map((command, index) => ({
    tool_name: "Bash",
    tool_use_id: `toolu_01${(index * 7_919_377 + 104_729).toString(36).toUpperCase()}`,
    tool_input: { command, description: command.split(" ").slice(0, 3).join(" ") },
  }));
}

function results(): readonly Fields[] {
  return ordinaryResults.map(([command, output], index) => ({
    tool_name: command.startsWith("https://") ? "WebFetch" : "Bash",
    tool_use_id: `toolu_02${(index * 7_919_377 + 104_729).toString(36).toUpperCase()}`,
    tool_input: command.startsWith("https://") ? { url: command, prompt: "what does it say" } : { command },
    tool_response: index % 3 === 2 ? output : { stdout: output, stderr: "", interrupted: false },
  }));
}

const ordinaryText = ordinaryCommands.join("\n");

/** Whether a text occurs in what agents ordinarily do. */
export function isOrdinary(text: string): boolean {
  return text.length > 2 && ordinaryText.includes(text);
}
