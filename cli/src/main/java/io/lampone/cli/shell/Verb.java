package io.lampone.cli.shell;

import java.io.IOException;

/**
 * One command of the shell.
 *
 * @param name what is typed
 * @param usage how, in one line
 * @param help what it does, in a sentence or two
 * @param action does it
 */
record Verb(String name, String usage, String help, Action action) {

  /** Action of a command on its arguments. */
  @FunctionalInterface
  interface Action {
    /** Does it in {@code session}, and prints there. */
    void run(ShellSession session, Arguments arguments) throws IOException;
  }
}
