/** Numbers from 0 to 1. */
export type Random = () => number;

/** Programs that record how they are started, and do nothing else. */
export const stubs: readonly string[] = ["p1", "p2", "p3", "q1", "q2"];
/** Programs that record how they are started, and then are what they are called. */
export const realStubs: readonly string[] = ["bash", "sh", "env", "nohup", "nice", "timeout", "xargs", "cat"];

const pick = <T>(next: Random, list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;

const variables = ["x", "y", "z", "HOME", "unset_one"];
const literals = ["a", "b.txt", "-r", "--flag=v", "/etc/x", "./d/e", "0", "a-b", "ü", "%s"];

/** A random command line: valid shell that ends soon and starts nothing but stubs. */
export function commandLine(next: Random): string {
  const count = 1 + Math.floor(next() * 4);
  const lines = Array.from({ length: count }, () => statement(next, 0));
  return lines.join(pick(next, ["; ", "\n", " && ", "; "]));
}

function statement(next: Random, depth: number): string {
  const inner = (): string => statement(next, depth + 1);
  const kind = next();
  if (depth > 2 || kind < 0.42) return simple(next, depth);
  const forms: readonly (() => string)[] = [
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `${simple(next, depth)} | ${simple(next, depth)}`,
    () => `( ${inner()}; ${inner()} )`,
    () => `{ ${inner()}; ${inner()}; }`,
    () => `if ${simple(next, depth)}; then ${inner()}; else ${inner()}; fi`,
    () => `for x in ${word(next, depth)} ${word(next, depth)}; do ${inner()}; done`,
    () => `case ${word(next, depth)} in a) ${inner()};; *) ${inner()};; esac`,
    () => `f() { ${inner()}; }; f ${word(next, depth)} ${word(next, depth)}`,
    () => `g() { local x=${word(next, depth)}; p1 "$x" "$1" $#; }; g ${word(next, depth)}; p2 "$x"`,
    () => `n=0; while [ $n -lt 2 ]; do ${simple(next, depth)}; n=$((n+1)); done`,
    () => `set -- ${word(next, depth)} ${word(next, depth)}; p1 "$@"; shift; p2 $1 "$*"`,
    () => `x=${assigned(next, depth)}; ${inner()}`,
    () => `export y=${assigned(next, depth)}; ${inner()}`,
    () => `eval ${quoted(`${simple(next, depth)}`)}`,
    () => `bash -c ${quoted(simple(next, depth))} name ${word(next, depth)}`,
    () => `echo ${quoted(simple(next, depth))} | sh`,
    () => `sh <<'EOF'\n${simple(next, depth)}\nEOF\ntrue`,
    () => `cat <<EOF | bash\np3 "$x" $HOME\nEOF\ntrue`,
    () => `env A=${assigned(next, depth)} ${simple(next, depth)}`,
    () => `nohup ${simple(next, depth)}`,
    () => `nice -n 5 timeout 9 ${program(next)} ${word(next, depth)}`,
    () => `echo a 'b c' | xargs ${program(next)} ${word(next, depth)}`,
    () => `echo a b c | xargs -n 2 ${program(next)}`,
    () => `printf '%s\\n' a b | xargs -I{} ${program(next)} x{}y`,
    () => `read x y <<< ${word(next, depth)}; ${simple(next, depth)}`,
    () => `arr=(${word(next, depth)} ${word(next, depth)}); p1 "\${arr[@]}" \${arr[0]} $arr`,
    () => `IFS=,; x=a,b,c; p1 $x "$x"; unset IFS`,
    () => `printf -v x %s ${word(next, depth)}; p1 "$x"`,
    () => `p1 <(echo a) ${word(next, depth)}`,
    () => `cd /tmp; p1 "$PWD"; cd - >/dev/null`,
    () => `x=p2; $x ${word(next, depth)}`,
    () => `x='p1 a b'; $x ${word(next, depth)}`,
    () => `${simple(next, depth)} > out; ${simple(next, depth)} 2>&1`,
    () => `unset x; ${simple(next, depth)}`,
    () => `! ${simple(next, depth)}`,
    () => `command ${simple(next, depth)}`,
    () => `A=1 B=$x ${simple(next, depth)}`,
    () => `${simple(next, depth)} & wait`,
    () => `x+=${assigned(next, depth)}; p1 "$x"`,
    () => `until true; do ${inner()}; done; ${simple(next, depth)}`,
    () => `for i in 1 2 3; do [ $i = 2 ] && continue; p1 $i; done`,
    () => `trap ${quoted(simple(next, depth))} EXIT`,
    () => `declare x=${assigned(next, depth)}; p1 "$x"`,
    () => `bash -c 'cd /tmp; p1 "$PWD"'; p2 "$PWD"`,
    () => `bash -c 'set -- a b; p1 "$1"; exit; p2' n ${word(next, depth)}`,
    () => `bash -c 'cd /tmp && f() { p1 "$PWD" "$1"; }; f '${word(next, depth)}`,
    () => `bash -ec 'q1; p1'; ${simple(next, depth)}`,
    () => `set -- ${word(next, depth)} b; IFS=:; p1 "$*"; unset IFS`,
    () => `arr=(a ${word(next, depth)}); p1 "\${arr[*]}"; bash -c 'p2 "\${arr[@]}"'`,
    () => `x=${assigned(next, depth)}; p1 "\${x:-$(p2)}" "\${x:+$(p3)}"`,
    () => `declare -n r=x; r=${assigned(next, depth)}; p1 "$x"; unset -n r`,
    () => `echo 'cd /tmp; p1 "$PWD"' | sh; p2 "$PWD"`,
    () => `readarray -t arr <<< ${word(next, depth)}; p1 "\${arr[@]}"`,
    () => `while read -r x; do p1 "$x"; done <<< ${word(next, depth)}`,
    () => `for ((i = 0; i < 2; i++)); do p1 "$i"; done`,
    () => `[[ -n $x ]] && ${inner()}`,
    () => `set -e; q1; p1`,
    () => `( exec ${simple(next, depth)}; p1 never ); p2`,
    () => `source /dev/stdin <<< ${quoted(simple(next, depth))}`,
    () => `case ${word(next, depth)} in a*) p1;;& *) p2;& z) p3;; esac`,
  ];
  return pick(next, forms)();
}

function program(next: Random): string {
  const name = pick(next, stubs);
  return pick(next, [
    name,
    name,
    name,
    `'${name}'`,
    `"${name}"`,
    `\\${name}`,
    `${name[0]}''${name.slice(1)}`,
  ]);
}

function simple(next: Random, depth: number): string {
  const words = Array.from({ length: Math.floor(next() * 4) }, () => word(next, depth));
  return [program(next), ...words].join(" ");
}

function word(next: Random, depth: number): string {
  const name = pick(next, variables);
  const forms: readonly (() => string)[] = [
    () => pick(next, literals),
    () => pick(next, literals),
    () => `'${pick(next, ["a b", "$x", "*", "", 'a"b'])}'`,
    () => `"${pick(next, ["a b", "$x", "*", "", "\\$x", "a'b", "$x-$y", "${z}s"])}"`,
    () => `$${name}`,
    () => `"$${name}"`,
    () => `a$${name}b`,
    () => `\${${name}:-${pick(next, literals)}}`,
    () => `"\${${name}:+set}"`,
    () => `\${${name}-d}`,
    () => `"\${#${name}}"`,
    () => `\${${name}#a}`,
    () => `"\${${name}%b}"`,
    () => `"\${${name}:1:2}"`,
    () => `"\${${name}/a/b}"`,
    () => `"\${${name}^^}"`,
    () => "{a,b}",
    () => "x{1..3}y",
    () => "{a,b}{c,d}",
    () => "~",
    () => "~/f",
    () => "a~",
    () => "*.none",
    () => "[ab]c",
    () => "\\*",
    () => "a\\ b",
    () => "$'a\\tb'",
    () => "$((1+2))",
    () => `$(echo ${pick(next, ["a", "a b", "'c  d'", "-n x"])})`,
    () => `"$(echo ${pick(next, ["a", "a b", "'c  d'"])})"`,
    () => "`echo e`",
    () => "$(printf '%s-' 1 2)",
    () => (depth > 1 ? "n" : `$(${simple(next, depth + 2)})`),
    () => (depth > 1 ? "m" : `"$(${simple(next, depth + 2)})"`),
    () => `"$@"`,
    () => "$1",
    () => `""$${name}`,
    () => `$${name}'q'`,
  ];
  return pick(next, forms)();
}

/** A word as the value of an assignment. */
function assigned(next: Random, depth: number): string {
  return word(next, depth + 1);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
