package io.lampone.lab.mutation;

import io.lampone.cli.CommandException;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Runs planted bugs through the layers, cheap layers first, and stops at the first that finds a
 * bug. Results for this product are not computed again.
 */
final class MutationCampaign {

  /** A run that takes so many times as long as one without a bug has found it. */
  private static final double LIMIT_FACTOR = 4;

  private static final Duration LIMIT_MORE = Duration.ofMinutes(2);

  /** Limit of a run without a bug. */
  private static final Duration CONTROL_LIMIT = Duration.ofMinutes(45);

  private final SourceTree tree;
  private final OutcomeStore store;
  private final Workbench workbench;
  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Map<String, String> failed = new TreeMap<>();

  /**
   * Layers and limits of a campaign.
   *
   * @param layers in the order in which they run
   * @param allLayers true if layers behind the first that finds a bug run too
   * @param endNanos monotonic time after which no run is started
   */
  record Plan(List<MutationLayer> layers, boolean allLayers, long endNanos) {}

  MutationCampaign(
      SourceTree tree,
      OutcomeStore store,
      Workbench workbench,
      Plan plan,
      Clock clock,
      Consumer<String> progress) {
    this.tree = tree;
    this.store = store;
    this.workbench = workbench;
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Returns every {@code of}th, beginning with the {@code share}th. */
  static List<PlantedBug> share(List<PlantedBug> bugs, int share, int of) {
    return IntStream.range(0, bugs.size())
        .filter(i -> i % of == share - 1)
        .mapToObj(bugs::get)
        .toList();
  }

  /**
   * Runs the missing layers, within the time.
   *
   * @return the results, with those of earlier runs
   * @throws CommandException if a layer fails without a bug
   */
  MutationMatrix run(List<PlantedBug> bugs) throws IOException, InterruptedException {
    runControls(bugs);
    int number = 0;
    for (PlantedBug bug : bugs) {
      number++;
      if (isDone(bug)) {
        continue;
      }
      if (isOver()) {
        break;
      }
      progress.accept("[%d/%d] %s".formatted(number, bugs.size(), bug.name()));
      run(bug);
    }
    return matrix(bugs);
  }

  private void run(PlantedBug bug) throws IOException, InterruptedException {
    try {
      workbench.plant(bug);
      for (MutationLayer layer : missing(bug)) {
        Optional<LayerOutcome> outcome = isOver() ? Optional.empty() : run(bug, layer);
        if (outcome.isEmpty() || outcome.get().found() && !plan.allLayers()) {
          return;
        }
      }
    } catch (PatchFailedException e) {
      failed.put(bug.name(), String.valueOf(e.getMessage()));
      progress.accept("  FAILED: " + e.getMessage());
    } finally {
      workbench.restore();
    }
  }

  /** Returns the outcome, or empty if the campaign's time ended before the layer did. */
  private Optional<LayerOutcome> run(PlantedBug bug, MutationLayer layer)
      throws IOException, InterruptedException {
    Duration limit = limit(bug, layer);
    Duration left = Duration.ofNanos(plan.endNanos() - clock.monotonicNanos());
    boolean isCut = left.compareTo(limit) < 0;
    Workbench.Finding finding = workbench.run(layer, bug, isCut ? left : limit);
    if (finding.isOver() && isCut) {
      return Optional.empty();
    }
    LayerOutcome outcome =
        wanted(bug, layer)
            .with(finding.found() || finding.isOver(), finding.seconds(), by(finding));
    store.add(outcome);
    progress.accept(
        "  " + layer.label() + ": " + (outcome.found() ? "found, " : "") + outcome.text());
    return Optional.of(outcome);
  }

  private static String by(Workbench.Finding finding) {
    return finding.isOver() ? "no end within %.0f s".formatted(finding.seconds()) : finding.by();
  }

  private Duration limit(PlantedBug bug, MutationLayer layer) {
    double control = store.find(control(bug, layer)).map(LayerOutcome::seconds).orElse(0.0);
    return LIMIT_MORE.plusMillis(Math.round(control * LIMIT_FACTOR * 1_000));
  }

  /** Runs each required layer without a bug: a layer that fails then would find every bug. */
  private void runControls(List<PlantedBug> bugs) throws IOException, InterruptedException {
    for (PlantedBug bug : bugs) {
      for (MutationLayer layer : isDone(bug) ? List.<MutationLayer>of() : missing(bug)) {
        LayerOutcome wanted = control(bug, layer);
        if (store.find(wanted).isPresent() || isOver()) {
          continue;
        }
        progress.accept(wanted.subject() + ": " + layer.label());
        Workbench.Finding finding = workbench.run(layer, bug, CONTROL_LIMIT);
        if (finding.found() || finding.isOver()) {
          throw new CommandException(
              "a layer fails without a planted bug, layer="
                  + layer.label()
                  + " scope="
                  + layer.scope(bug)
                  + " by='"
                  + by(finding)
                  + "'",
              "mend it first, or leave the layer out: it would find everything");
        }
        store.add(wanted.with(false, finding.seconds(), ""));
      }
    }
  }

  private LayerOutcome control(PlantedBug bug, MutationLayer layer) {
    String subject = (LayerOutcome.CONTROL + " " + layer.scope(bug)).strip();
    return wanted(subject, layer, "");
  }

  private LayerOutcome wanted(PlantedBug bug, MutationLayer layer) {
    return wanted(bug.name(), layer, SourceTree.hash(bug.patch()));
  }

  private LayerOutcome wanted(String subject, MutationLayer layer, String patch) {
    return new LayerOutcome(
        subject,
        layer.label(),
        patch,
        tree.product(),
        tree.tests(),
        tree.commit(),
        workbench.effort(layer),
        false,
        0,
        "");
  }

  private MutationMatrix matrix(List<PlantedBug> bugs) {
    return new MutationMatrix(bugs.stream().map(this::row).toList(), Map.copyOf(failed));
  }

  private MutationMatrix.Row row(PlantedBug bug) {
    List<LayerOutcome> known = known(bug);
    List<LayerOutcome> shown = known.isEmpty() ? older(bug) : known;
    return new MutationMatrix.Row(bug, shown, !known.isEmpty(), isDone(bug));
  }

  /** Returns the outcomes of the bug on the newest earlier product that it ran on. */
  private List<LayerOutcome> older(PlantedBug bug) {
    List<LayerOutcome> all = new ArrayList<>();
    for (MutationLayer layer : MutationLayer.values()) {
      store.findOlder(wanted(bug, layer)).ifPresent(all::add);
    }
    return all.stream().filter(each -> each.product().equals(all.get(0).product())).toList();
  }

  /** Returns the outcomes of a bug on this product, in the order of the layers. */
  private List<LayerOutcome> known(PlantedBug bug) {
    List<LayerOutcome> known = new ArrayList<>();
    for (MutationLayer layer : MutationLayer.values()) {
      store.find(wanted(bug, layer)).ifPresent(known::add);
    }
    return known;
  }

  /** Returns true if no layer of the plan has to run any more. */
  private boolean isDone(PlantedBug bug) {
    return !plan.allLayers() && known(bug).stream().anyMatch(this::isFoundByPlan)
        || missing(bug).isEmpty();
  }

  private boolean isFoundByPlan(LayerOutcome outcome) {
    return outcome.found()
        && plan.layers().stream().anyMatch(layer -> layer.label().equals(outcome.layer()));
  }

  private List<MutationLayer> missing(PlantedBug bug) {
    List<String> known = known(bug).stream().map(LayerOutcome::layer).toList();
    return plan.layers().stream().filter(layer -> !known.contains(layer.label())).toList();
  }

  private boolean isOver() {
    return clock.monotonicNanos() - plan.endNanos() >= 0;
  }
}
