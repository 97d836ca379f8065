# bash completion for fairlane
_fairlane() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i
  local run='--help --group-by --priority-by --skip-bad --limit --mode --workers --window --timeout
    --visibility --grace --max-attempts --when-exhausted --backoff --retry-delay --rotation
    --high-ratio --priority-threshold --transport --results --dead --unfinished --quiet'
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then
      mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
      return
    fi
  done
  case $prev in
    --mode) mapfile -t COMPREPLY < <(compgen -W 'exec lines' -- "$cur"); return ;;
    --when-exhausted) mapfile -t COMPREPLY < <(compgen -W 'dead_letter suspend_group' -- "$cur"); return ;;
    --rotation) mapfile -t COMPREPLY < <(compgen -W 'oldest_claim_first ready_order' -- "$cur"); return ;;
    --transport) mapfile -t COMPREPLY < <(compgen -W 'memory: sqlite:' -- "$cur"); return ;;
  esac
  case ${COMP_WORDS[1]} in
    run) mapfile -t COMPREPLY < <(compgen -W "$run" -f -- "$cur") ;;
    replay) mapfile -t COMPREPLY < <(compgen -W '--help --transport --quiet' -f -- "$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -W 'run replay --help --version' -- "$cur") ;;
  esac
}
complete -F _fairlane fairlane
