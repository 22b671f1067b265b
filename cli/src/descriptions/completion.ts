import type { CommandDescription } from "../description.ts";

/** Describes `tocsin completion`. */
export const COMPLETION = {
  name: "completion",
  summary: "print a completion script for a shell",
  usage: "bash|zsh|fish",
  about: [
    "Prints a script that lets a shell complete commands, options and their values:",
    [
      '  bash   in ~/.bashrc: eval "$(tocsin completion bash)"',
      '  zsh    in ~/.zshrc, after compinit: eval "$(tocsin completion zsh)"',
      "  fish   tocsin completion fish > ~/.config/fish/completions/tocsin.fish",
    ].join("\n"),
  ],
  options: {},
  exits: "0 printed, 2 wrong usage",
  operand: { kind: "words", words: ["bash", "zsh", "fish"] },
} as const satisfies CommandDescription;
