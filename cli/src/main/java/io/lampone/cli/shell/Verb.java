package io.lampone.cli.shell;

import java.io.IOException;

/**
 * One command of the shell.
 *
 * @param name what is typed
 * @param usage how, in one line; completion follows it, see {@link ShellCompleter}
 * @param help what it does, in sentences of which the first one is short
 * @param example a statement that does it
 * @param action does it
 */
record Verb(String name, String usage, String help, String example, Action action) {

  /** Action of a command on its arguments. */
  @FunctionalInterface
  interface Action {
    /** Does it in {@code session}, and prints there. */
    void run(ShellSession session, Arguments arguments) throws IOException;
  }

  /** Returns the first sentence of the help. */
  String summary() {
    int end = help.indexOf(". ");
    return end < 0 ? help : help.substring(0, end + 1);
  }
}
