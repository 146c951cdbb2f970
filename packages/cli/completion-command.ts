import { Argument, type Command } from 'commander';
import { writeCommandHelp } from './help.ts';
import type { Io } from './io.ts';

/** A command, or the program itself, as completions show it. */
interface Place {
  /** The names of the commands that lead to it, each after a space: ` workflow put`; empty for the program. */
  readonly path: string;
  readonly children: readonly Entry[];
  readonly options: readonly (Entry & { readonly takesValue: boolean })[];
}

interface Entry {
  readonly name: string;
  readonly description: string;
}

/** `completion SHELL`: prints a script that completes commands, options and files. It needs nothing at run time. */
export const addCompletionCommand = (program: Command, io: Pick<Io, 'print'>): void => {
  program
    .command('completion')
    .description('print a completion script: source <(hookloom completion bash)')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(printers)))
    .addHelpText('after', writeCommandHelp(['completion bash'], { isOffline: true, failed: null }))
    .action((shell: keyof typeof printers) => io.print(printers[shell](readPlaces(program))));
};

const readPlaces = (program: Command): readonly Place[] => {
  const shared = program.options.map(toOption);
  const readCommandPlaces = (command: Command, path: string): Place[] => [
    {
      path,
      children: [
        ...command.commands.map((child) => ({ name: child.name(), description: child.description() })),
        ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
          argChoices.map((name) => ({ name, description })),
        ),
      ],
      options: path === '' ? shared : [...command.options.map(toOption), ...shared],
    },
    ...command.commands.flatMap((child) =>
      [child.name(), ...child.aliases()].flatMap((name) => readCommandPlaces(child, `${path} ${name}`)),
    ),
  ];
  return readCommandPlaces(program, '');
};

const toOption = ({ long, description, required }: Command['options'][number]) => ({
  name: long ?? '',
  description,
  takesValue: required,
});

/** A text as a literal of all three shells. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const quoteAll = (texts: readonly string[]): string => texts.map(quote).join(' ');

/** The paths of all commands, as alternatives of a `case`. */
const toPatterns = (places: readonly Place[]): readonly string[] =>
  places.map(({ path }) => path).filter((path) => path !== '');

/** The body of a loop over words, in bash and zsh, and its end. */
const readPlace = (places: readonly Place[]): string => `    case "$place $word" in
      ${toPatterns(places).map(quote).join(' | ')}) place+=" $word" ;;
    esac
  done`;

const printBash = (places: readonly Place[]): string => `_hookloom() {
  local current=\${COMP_WORDS[COMP_CWORD]} place= word commands= options= values=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${readPlace(places)}
  case "$place" in
${places
  .map(({ path, children, options }) => {
    const names = (list: readonly Entry[]): string => quote(list.map(({ name }) => name).join(' '));
    const values = options.filter(({ takesValue }) => takesValue);
    return `    ${quote(path)}) commands=${names(children)} options=${names(options)} values=${names(values)} ;;`;
  })
  .join('\n')}
  esac
  [[ " $values " == *" \${COMP_WORDS[COMP_CWORD-1]} "* ]] && return
  [[ $current == -* ]] && commands=$options
  COMPREPLY=($(compgen -W "$commands" -- "$current"))
}
complete -o default -F _hookloom hookloom`;

const printZsh = (places: readonly Place[]): string => `#compdef hookloom
_hookloom() {
  local place= word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
${readPlace(places)}
  case "$place" in
${places
  .map(
    ({ path, children, options }) =>
      `    ${quote(path)}) commands=(${quoteAll(children.map(toDescribed))}) options=(${quoteAll(options.map(toDescribed))}) ;;`,
  )
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  elif (( $#commands )); then _describe command commands
  else _files
  fi
}
compdef _hookloom hookloom`;

/** An entry of zsh's `_describe`: a colon ends the name. */
const toDescribed = ({ name, description }: Entry): string => `${name}:${description.replaceAll(':', '\\:')}`;

const printFish = (places: readonly Place[]): string => {
  const lines = places.flatMap(({ path, children, options }) => {
    const condition = quote(`test "$(__hookloom_place)" = "${path}"`);
    return [
      ...children.map(
        ({ name, description }) =>
          `complete -c hookloom -n ${condition} -f -a ${name} -d ${quoteFish(description)}`,
      ),
      ...options.map(
        ({ name, description, takesValue }) =>
          `complete -c hookloom -n ${condition} -l ${name.slice(2)}${takesValue ? ' -r' : ''} -d ${quoteFish(description)}`,
      ),
    ];
  });
  return `function __hookloom_place
  set -l place ''
  for word in (commandline -opc)[2..]
    switch "$place $word"
      case ${quoteAll(toPatterns(places))}
        set place "$place $word"
    end
  end
  echo -- "$place"
end
${lines.join('\n')}`;
};

/** Fish escapes a quote within quotes. */
const quoteFish = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;

const printers = { bash: printBash, zsh: printZsh, fish: printFish };
