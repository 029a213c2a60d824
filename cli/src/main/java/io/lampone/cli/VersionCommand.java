package io.lampone.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code lampone version}: the same as {@code lampone --version}. */
@Command(name = "version", description = "Print the versions of Lampone, HBase and Java.")
final class VersionCommand implements Runnable {

  /** Set once by picocli before {@link #run}. */
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public void run() {
    spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
  }
}
