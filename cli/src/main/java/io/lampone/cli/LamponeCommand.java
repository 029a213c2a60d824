package io.lampone.cli;

import java.util.ServiceLoader;

/**
 * Subcommand that another module adds to {@code lampone}. {@link ServiceLoader} finds the
 * implementations: public classes with picocli's annotation and a public constructor without
 * parameters.
 */
public interface LamponeCommand {

  /** Name of the command below which this one stands; empty for {@code lampone} itself. */
  default String parent() {
    return "";
  }
}
