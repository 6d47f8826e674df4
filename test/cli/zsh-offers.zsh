# Prints what an interactive zsh offers at the end of a line, one word a line: zsh -f zsh-offers.zsh SCRIPT LINE
zmodload zsh/zpty
zpty z zsh -f -i
() {
  zpty -w z "PROMPT= RPROMPT=; stty -echo -onlcr; autoload -U compinit && compinit -u -D"
  zpty -w z "source $1"
  zpty -w z 'compadd () { if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi; typeset -a hits; builtin compadd -A hits "$@"; for h in $hits; do echo "@hit $h"; done }'
  zpty -w z "bindkey '^I' complete-word; zstyle ':completion:*' list-grouped false; finish () { echo @end }; zle -N finish; bindkey '^X' finish; echo @ready"
  local line
  while zpty -r z line; do [[ $line == *@ready* && $line != *echo* ]] && break; done
  zpty -w -n z "$2"$'\t\x18'
  while zpty -r z line; do
    [[ $line == *@end* ]] && break
    [[ $line == *@hit\ * ]] && print -r -- ${${line##*@hit }%%[$'\r\n']*}
  done
} "$@"
zpty -d z
