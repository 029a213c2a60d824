package io.lampone.cli.shell;

import java.io.IOException;

/**
 * One command of the shell.
 *
 * @param name name as typed
 * @param usage syntax in one line; also drives completion, see {@link ShellCompleter}
 * @param help description; its first sentence is a short summary
 * @param example sample statement
 * @param action implementation
 */
record Verb(String name, String usage, String help, String example, Action action) {

  /** Action of a command on its arguments. */
  @FunctionalInterface
  interface Action {
    /** Executes the command in {@code session} and prints its output there. */
    void run(ShellSession session, Arguments arguments) throws IOException;
  }

  /** Returns the first sentence of the help. */
  String summary() {
    int end = help.indexOf(". ");
    return end < 0 ? help : help.substring(0, end + 1);
  }
}
