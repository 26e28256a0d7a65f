/*
 * Scripts of `tidemark completion`. Each one runs `tidemark complete` to get the words that can follow. If this prints
 * no word, the shell completes names of files.
 */

const BASH = `# Completion of tidemark in bash.
_tidemark() {
  local IFS=$'\\n'
  COMPREPLY=($(tidemark complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tidemark tidemark
`;

const ZSH = `#compdef tidemark
# Completion of tidemark in zsh.
_tidemark() {
  local -a found
  found=("\${(@f)$(tidemark complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _tidemark tidemark
`;

const FISH = `# Completion of tidemark in fish.
function __tidemark_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (tidemark complete -- $words[2..-1] 2>/dev/null)
  if test -n "$found[1]"
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c tidemark -f -a '(__tidemark_complete)'
`;

/** The scripts by shell. */
export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
