import type { CompletedCommand, CompletedOption } from "./completions.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** Writes the completion script of a shell: data and a few lines that look things up in it. Nothing runs hookwarden. */
export const completionScripts: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** Where nothing is said, bash completes the names of files. */
function bash(commands: readonly CompletedCommand[]): string {
  const reply = (words: readonly string[]): string =>
    `COMPREPLY=($(compgen -W '${words.join(" ")}' -- "$cur"))`;
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter((option) => option.values.length > 0)
      .map((option) => `    '${name} ${option.long}') ${reply(option.values)}; return ;;`),
  );
  const open = commands.flatMap(({ name, options }) =>
    options.filter(isOpen).map(({ long }) => `'${name} ${long}'`),
  );
  const own = commands.map(
    ({ name, options }) => `      ${name}) ${reply(options.map(({ long }) => long))} ;;`,
  );
  const first = commands
    .filter(({ values: choices }) => choices.length > 0)
    .map(({ name, values: choices }) => `    ${name}) ${reply(choices)} ;;`);
  return `# bash completion for hookwarden
_hookwarden() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command= word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  if [ -z "$command" ]; then
    ${reply([...commands.map(({ name }) => name), "--help", "--version"])}
    return
  fi
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
    ${open.join(" | ")}) return ;;
  esac
  case $cur in
    -*)
      case $command in
${own.join("\n")}
      esac
      return ;;
  esac
  case $command in
${first.join("\n")}
  esac
}
complete -o default -F _hookwarden hookwarden
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const text = (value: string): string => quoted(value.replaceAll(/[\\[\]:]/g, "\\$&"));
  const argument = ({ values, takesValue }: Pick<CompletedOption, "values" | "takesValue">): string => {
    if (values.length > 0) return `':value:(${values.join(" ")})'`;
    return takesValue ? "':value:_files'" : "";
  };
  const bodies = commands.map(({ name, options, values }) => {
    const specs = options.map(
      (option) => `      '${option.long}['${text(option.description)}']'${argument(option)}`,
    );
    const rest = values.length > 0 ? `'1:value:(${values.join(" ")})'` : "'*:file:_files'";
    return `    ${name}) _arguments \\\n${[...specs, `      ${rest}`].join(" \\\n")} ;;`;
  });
  return `#compdef hookwarden
_hookwarden() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${commands.map(({ name, summary }) => `      ${name}:${text(summary)}`).join("\n")}
    )
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${bodies.join("\n")}
  esac
}
compdef _hookwarden hookwarden
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options, values }) => {
    const seen = `complete -c hookwarden -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c hookwarden -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...(values.length > 0 ? [`${seen} -f -a '${values.join(" ")}'`] : []),
      ...options.map((option) => {
        const value =
          option.values.length > 0 ? ` -x -a '${option.values.join(" ")}'` : isOpen(option) ? " -r" : "";
        return `${seen} -l ${option.long.slice(2)}${value} -d ${quoted(option.description)}`;
      }),
    ];
  });
  return `# fish completion for hookwarden\n${lines.join("\n")}\n`;
}

function isOpen({ takesValue, values }: CompletedOption): boolean {
  return takesValue && values.length === 0;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
