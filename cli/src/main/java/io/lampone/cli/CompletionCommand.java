package io.lampone.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code lampone completion}. */
@Command(
    name = "completion",
    description = "Prints a script by which bash and zsh complete commands and options.",
    footer = {
      "",
      "Now: source <(lampone completion)",
      "For ever: lampone completion > ~/.lampone-completion, and source that in ~/.bashrc or"
          + " ~/.zshrc.",
      "",
      "Exit codes: 0 printed; 2 wrong options."
    })
final class CompletionCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().getOut().print(AutoComplete.bash("lampone", spec.root().commandLine()));
    spec.commandLine().getOut().flush();
  }
}
