import { ask, notify, type PreToolUse, setState, type UserPromptSubmit } from "hookwarden/hook";

interface Count {
  readonly edits: number;
}

const PreToolUse: PreToolUse<Count, Count> = (_event, { state, config }) => {
  const edits = state?.edits ?? 0;
  if (edits >= config.edits) return ask(`${edits} edits were made for this prompt`);
  const count = setState<Count>({ edits: edits + 1 });
  return edits + 1 === config.edits - 1 ? [count, notify("one edit is left")] : count;
};

const UserPromptSubmit: UserPromptSubmit<Count, Count> = () => setState<Count>({ edits: 0 });

export default { PreToolUse, UserPromptSubmit };
