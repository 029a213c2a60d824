package io.lampone.cli.shell;

import java.util.List;

/**
 * One line of work for the shell.
 *
 * @param line where it begins in the script, from 1
 * @param name what to do, in small letters
 * @param arguments with what
 */
record Statement(int line, String name, List<Argument> arguments) {
  Statement {
    arguments = List.copyOf(arguments);
  }
}
