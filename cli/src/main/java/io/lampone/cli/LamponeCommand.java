package io.lampone.cli;

import java.util.ServiceLoader;

/**
 * Subcommand that another module adds to {@code lampone}. {@link ServiceLoader} finds the
 * implementations: public classes with picocli's annotation and a public constructor without
 * parameters.
 */
public interface LamponeCommand {

  /** Returns the name of the parent command; empty for {@code lampone} itself. */
  default String parent() {
    return "";
  }
}
