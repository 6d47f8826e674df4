/** Options that keep a command from doing harm, or that make it ask. */
export const protecting =
  /(?<=^|\s)(?:--dry-run(?:=\w+)?|--check|--interactive|--ignore-scripts|--no-save|--verify|--signed|--gpg-sign|--fail|--force-with-lease|--preserve-root|--one-file-system|--no-clobber|--cacert|--tlsv1\.[23]|--network=none|--read-only|--cap-drop=\S+|--security-opt=\S+|set -[a-z]*e[a-z]*)(?=\s|$)/g;

/** Options with which a command shows what it would do, or does nothing of note. */
const showing = /^--?(?:h|help|version|noop|no-op|what-?if|simulate|just-print|print-only|plan|preview)$/i;

/** Whether a guard has a reason of its own to let a command with this option go. */
export function isSafeOption(word: string): boolean {
  return showing.test(word) || word.match(protecting)?.[0] === word;
}
