package io.lampone.lab.mutation;

import io.lampone.cli.CommandException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Layers of tests, in the order in which a campaign runs them: cheap ones first. */
public enum MutationLayer {
  /** Unit tests of the module that the bug is in. */
  UNIT,
  /** Seeds of the simulator. */
  SIMULATOR,
  /** Random operations compared with models of the expected results. */
  MODELS,
  /** Anomalies of the literature. */
  ANOMALIES,
  /** Integration tests of the area that the bug is in. */
  INTEGRATION,
  /** Fault lab. */
  LAB;

  /** Returns the name in options, files and tables. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns what distinguishes the layer's runs without a bug: module, tests, or options. */
  String scope(PlantedBug bug) {
    return switch (this) {
      case UNIT -> bug.module();
      case INTEGRATION -> String.join(" ", bug.integrationTests());
      case LAB -> String.join(" ", bug.labOptions());
      case SIMULATOR, MODELS, ANOMALIES -> "";
    };
  }

  /**
   * Returns the layers of these labels, in the order of their cost.
   *
   * @throws CommandException if there is no such layer
   */
  static List<MutationLayer> named(List<String> labels) {
    List<String> known = Arrays.stream(values()).map(MutationLayer::label).toList();
    for (String label : labels) {
      if (!known.contains(label)) {
        throw new CommandException(
            "--layers: no such name, name='" + label + "'", "known layers: " + known);
      }
    }
    return Arrays.stream(values()).filter(each -> labels.contains(each.label())).toList();
  }
}
