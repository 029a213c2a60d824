package io.lampone.benchmarks.command;

import io.lampone.cli.LamponeCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone bench ...}. */
@Command(
    name = "bench",
    description = "Measures what Lampone costs, beside what it is built on.",
    subcommands = {
      BenchFastPathCommand.class,
      BenchRetentionCommand.class,
      BenchCompareCommand.class,
      BenchScaleCommand.class,
      BenchSerializableCommand.class,
      BenchScaleOutCommand.class,
      BenchSpuriousCommand.class,
      BenchTpccCommand.class,
      BenchTatpCommand.class,
      BenchSmallBankCommand.class
    })
public final class BenchCommand implements Runnable, LamponeCommand {

  @Spec CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to measure: see --help");
  }
}
