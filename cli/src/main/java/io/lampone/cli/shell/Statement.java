package io.lampone.cli.shell;

import java.util.List;

/**
 * Parsed statement of the shell.
 *
 * @param line line of the script at which it begins, from 1
 * @param name name of the command, in lower case
 * @param arguments arguments in the order written
 */
record Statement(int line, String name, List<Argument> arguments) {
  Statement {
    arguments = List.copyOf(arguments);
  }
}
