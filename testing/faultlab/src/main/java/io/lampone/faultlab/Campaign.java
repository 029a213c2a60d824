package io.lampone.faultlab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.faultlab.event.RequiredEvents;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.report.CampaignTable;
import io.lampone.faultlab.report.LabResult;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Campaign of rounds: one with all faults together, and one with each fault alone, repeated with
 * other seeds until the time is up. All workloads run concurrently in each round, on separate
 * tables; one cluster serves a whole cycle of rounds. Results are in the folder: an interrupted
 * campaign resumes, and counts all its rounds.
 *
 * <p>Of a round without anomaly the result and the report are kept, of any other all files,
 * including the cluster's.
 */
public final class Campaign {

  /** In the folder of a round, when it has ended. */
  static final String RESULT = "result.json";

  private static final String REPORT = "report.txt";
  private static final String SAID = "said.txt";
  private static final String CLUSTER = "cluster";
  private static final String TOGETHER = "together";

  /** Seeds of different cycles lie so far apart. */
  private static final long SEEDS_OF_CYCLE = 1_000;

  private final LabPlan each;
  private final Duration bound;
  private final Clock clock;
  private final Consumer<String> progress;

  /**
   * @param each common settings of all rounds: its faults are taken one by one, its seed is that of
   *     the first round, its folder that of the campaign
   * @param bound no round begins later than this
   */
  public Campaign(LabPlan each, Duration bound, Clock clock, Consumer<String> progress) {
    this.each = each;
    this.bound = bound;
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * Runs as many rounds as the time allows.
   *
   * @return summary of all rounds in its folder
   * @throws IOException if the folder cannot be read or written
   */
  public Summary run() throws IOException, InterruptedException {
    long start = clock.monotonicNanos();
    Files.createDirectories(each.folder());
    delete(cluster());
    for (int cycle = 0; ; cycle++) {
      List<LabPlan> left = new ArrayList<>();
      for (LabPlan round : cycle(cycle)) {
        if (!Files.exists(round.folder().resolve(RESULT))) {
          left.add(round);
        }
      }
      while (!left.isEmpty()) {
        if (clock.monotonicNanos() - start >= bound.toNanos()) {
          return summarize();
        }
        left = rounds(left, start);
      }
    }
  }

  private List<LabPlan> cycle(int cycle) {
    List<LabPlan> rounds = new ArrayList<>();
    long seed = each.seed() + cycle * SEEDS_OF_CYCLE;
    rounds.add(round(TOGETHER, each.faults(), seed));
    for (FaultKind fault : each.faults()) {
      seed++;
      rounds.add(round(fault.label(), List.of(fault), seed));
    }
    return rounds;
  }

  private LabPlan round(String name, List<FaultKind> faults, long seed) {
    return each.with(faults, seed, each.folder().resolve(name + "-" + seed));
  }

  private Path cluster() {
    return each.folder().resolve(CLUSTER);
  }

  /**
   * Has rounds on one cluster, until one is not clean or the time is up.
   *
   * @return those that it has not had
   */
  private List<LabPlan> rounds(List<LabPlan> rounds, long start)
      throws IOException, InterruptedException {
    int had = 0;
    Optional<LabPlan> unclean = Optional.empty();
    List<String> said = new ArrayList<>();
    LabPlan lab = each.with(each.faults(), rounds.get(0).seed(), cluster());
    try (FaultLabMain torture = FaultLabMain.start(lab, said::add)) {
      while (had < rounds.size()
          && unclean.isEmpty()
          && clock.monotonicNanos() - start < bound.toNanos()) {
        LabPlan round = rounds.get(had++);
        said.clear();
        if (!isClean(round, torture)) {
          unclean = Optional.of(round);
        }
      }
    }
    if (unclean.isPresent()) {
      Path folder = unclean.get().folder();
      Files.write(folder.resolve(SAID), said);
      Files.move(cluster(), folder.resolve(CLUSTER));
    }
    delete(cluster());
    summarize();
    return rounds.subList(had, rounds.size());
  }

  /** Has one; the cluster is not to be used any more if it was not clean. */
  private boolean isClean(LabPlan round, FaultLabMain torture)
      throws IOException, InterruptedException {
    // Of one that was broken off.
    delete(round.folder());
    Files.createDirectories(round.folder());
    String name = String.valueOf(round.folder().getFileName());
    try {
      LabResult result = torture.round(round);
      progress.accept(
          String.format(
              Locale.ROOT,
              "%-20s checked %d  faults %d  unknown %d  anomalies %d",
              name,
              result.checked(),
              result.faults(),
              result.unknown(),
              result.anomalies()));
      if (result.anomalies() == 0) {
        keepResult(round.folder());
      }
      summarize();
      return result.anomalies() == 0;
    } catch (IOException e) {
      progress.accept(name + " " + e);
      ObjectNode failed = new ObjectMapper().createObjectNode();
      failed.put(CampaignTable.FAILURE, String.valueOf(e.getMessage()));
      Files.writeString(round.folder().resolve(RESULT), failed.toString());
      return false;
    }
  }

  /** Deletes all files but the result and the report; the result marks the round as done. */
  private static void keepResult(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      for (Path path : all.toList()) {
        String name = String.valueOf(path.getFileName());
        if (!name.equals(RESULT) && !name.equals(REPORT)) {
          delete(path);
        }
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** Over all that the folder holds. */
  private Summary summarize() throws IOException {
    CampaignTable table = new CampaignTable();
    Set<String> labels = new TreeSet<>(each.labels());
    try (Stream<Path> folders = Files.list(each.folder())) {
      for (Path folder : folders.filter(one -> Files.exists(one.resolve(RESULT))).toList()) {
        String name = String.valueOf(folder.getFileName());
        int end = name.lastIndexOf('-');
        String fault = name.substring(0, end);
        if (RoundRetention.draw(Long.parseLong(name.substring(end + 1))).isShort()) {
          labels.add(RequiredEvents.SHORT_RETENTION);
        }
        table.add(fault, new ObjectMapper().readTree(folder.resolve(RESULT).toFile()));
      }
    }
    write("summary.json", table.json() + "\n");
    write("summary.md", String.join("\n", table.markdown()) + "\n");
    write("summary.txt", String.join("\n", table.text()) + "\n");
    List<FaultKind> notDone =
        each.faults().stream().filter(kind -> !table.done().contains(kind.label())).toList();
    return new Summary(
        table.line(),
        table.isClean(),
        notDone,
        RequiredEvents.read().neverSeen(table.events(), List.copyOf(labels)));
  }

  /** Writes atomically: a concurrent reader finds the old file or the new one. */
  private void write(String name, String text) throws IOException {
    Path next = each.folder().resolve(name + ".next");
    Files.writeString(next, text);
    Files.move(
        next,
        each.folder().resolve(name),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Summary of the rounds that were run.
   *
   * @param toJson one line
   * @param isClean true if there were rounds, and all have ended without any anomaly
   * @param notDone kinds of faults that were not done in any of them
   * @param neverSeen required events that no round has seen
   */
  public record Summary(
      String toJson, boolean isClean, List<FaultKind> notDone, List<String> neverSeen) {

    public Summary {
      notDone = List.copyOf(notDone);
      neverSeen = List.copyOf(neverSeen);
    }
  }
}
