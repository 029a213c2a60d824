package io.lampone.lab.mutation;

import static io.lampone.lab.mutation.MutationLayer.LAB;
import static io.lampone.lab.mutation.MutationLayer.SIMULATOR;
import static io.lampone.lab.mutation.MutationLayer.UNIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.CommandException;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutationCampaignTest {

  private static final SourceTree TREE = new SourceTree("0123abcd", "product", "tests");
  private static final PlantedBug SHALLOW = Bugs.bug("shallow");
  private static final PlantedBug DEEP = Bugs.bug("deep");
  private static final PlantedBug HIDDEN = Bugs.bug("hidden");

  @TempDir private Path folder;

  private final FakeBench bench = new FakeBench();

  @Test
  void layersRunInOrder_afterTheSameWithoutABug_untilOneFinds() throws Exception {
    bench.find(SHALLOW, UNIT);
    bench.find(DEEP, SIMULATOR);

    MutationMatrix matrix = run(List.of(UNIT, SIMULATOR, LAB), SHALLOW, DEEP, HIDDEN);

    assertThat(bench.runs)
        .containsExactly(
            "none unit",
            "none simulator",
            "none lab",
            "shallow unit",
            "deep unit",
            "deep simulator",
            "hidden unit",
            "hidden simulator",
            "hidden lab");
    assertThat(matrix.survivors()).containsExactly("hidden");
    assertThat(matrix.isClean()).isFalse();
    assertThat(bench.planted).isNull();
  }

  @Test
  void allLayers_runAlsoBehindTheFirstFind() throws Exception {
    bench.find(SHALLOW, UNIT);

    campaign(TREE, List.of(UNIT, LAB), true, 1_000).run(List.of(SHALLOW));

    assertThat(bench.runs).contains("shallow unit", "shallow lab");
  }

  @Test
  void eachModule_hasItsOwnRunWithoutABug() throws Exception {
    PlantedBug other = Bugs.bug("other", "manager", "tm-server", "");
    bench.find(SHALLOW, UNIT);
    bench.find(other, UNIT);

    run(List.of(UNIT), SHALLOW, other);

    assertThat(bench.runs).containsExactly("none unit", "none unit", "shallow unit", "other unit");
  }

  @Test
  void whatIsKnown_isNotRunAgain() throws Exception {
    bench.find(SHALLOW, UNIT);
    run(List.of(UNIT), SHALLOW, HIDDEN);
    bench.runs.clear();

    MutationMatrix matrix = run(List.of(UNIT), SHALLOW, HIDDEN);

    assertThat(bench.runs).isEmpty();
    assertThat(matrix.survivors()).containsExactly("hidden");
    run(List.of(UNIT, SIMULATOR), SHALLOW, HIDDEN);
    assertThat(bench.runs).containsExactly("none simulator", "hidden simulator");
  }

  @Test
  void anotherProduct_isRunAnew_andStillShownUntilThen() throws Exception {
    bench.find(SHALLOW, UNIT);
    run(List.of(UNIT), SHALLOW);
    bench.runs.clear();

    SourceTree changed = new SourceTree("4567cdef", "changed", "tests");
    MutationMatrix before = campaign(changed, List.of(UNIT), false, 0).run(List.of(SHALLOW));
    assertThat(before.toMarkdown()).last().asString().contains("0123abcd");
    assertThat(before.toJson()).contains("\"foundByAny\":0").contains("\"notRun\":[\"shallow\"]");

    MutationMatrix after = campaign(changed, List.of(UNIT), false, 1_000).run(List.of(SHALLOW));
    assertThat(after.toMarkdown()).last().asString().contains("4567cdef");
    assertThat(bench.runs).containsExactly("none unit", "shallow unit");
  }

  @Test
  void aLayerThatFailsWithoutABug_endsTheCampaign() {
    bench.brokenWithout.add(UNIT);

    assertThatThrownBy(() -> run(List.of(UNIT), SHALLOW))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("layer=unit scope=client-lib")
        .hasMessageContaining("BrokenTest");
    assertThat(bench.runs).containsExactly("none unit");
  }

  @Test
  void aPatchThatFails_isNoFind_andTheNextOneRuns() throws Exception {
    bench.unplantable.add("deep");
    bench.find(SHALLOW, UNIT);

    MutationMatrix matrix = run(List.of(UNIT), DEEP, SHALLOW);

    assertThat(matrix.toJson())
        .contains("\"foundByAny\":1", "\"survivors\":[]", "\"failed\":{\"deep\":\"does not apply");
    assertThat(matrix.isClean()).isFalse();
    assertThat(bench.restored).contains("deep");
    assertThat(bench.runs).doesNotContain("deep unit");
  }

  @Test
  void nothingIsStarted_whenTheTimeIsOver() throws Exception {
    bench.secondsOfRun = 10;

    MutationMatrix matrix =
        campaign(TREE, List.of(UNIT), false, 25).run(List.of(SHALLOW, DEEP, HIDDEN));

    assertThat(bench.runs).containsExactly("none unit", "shallow unit", "deep unit");
    assertThat(matrix.toJson())
        .contains("\"survivors\":[\"shallow\"]", "\"notRun\":[\"deep\",\"hidden\"]");
    assertThat(matrix.isClean()).isFalse();
  }

  @Test
  void aRunThatDoesNotEnd_isAFind() throws Exception {
    run(List.of(UNIT), HIDDEN);
    bench.secondsOfRun = 100_000;

    MutationMatrix matrix = campaign(TREE, List.of(UNIT), false, 1_000_000).run(List.of(SHALLOW));

    assertThat(matrix.toMarkdown()).last().asString().contains("no end within");
    assertThat(matrix.survivors()).isEmpty();
  }

  @Test
  void shares_haveEachBugOnce() {
    List<PlantedBug> bugs = IntStream.range(0, 11).mapToObj(i -> Bugs.bug("bug-" + i)).toList();
    List<PlantedBug> all = new ArrayList<>();
    for (int k = 1; k <= 3; k++) {
      all.addAll(MutationCampaign.share(bugs, k, 3));
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(bugs);
    assertThat(MutationCampaign.share(bugs, 1, 3)).startsWith(bugs.get(0), bugs.get(3));
    assertThat(MutationCampaign.share(bugs, 3, 3)).hasSize(3);
  }

  private MutationMatrix run(List<MutationLayer> layers, PlantedBug... bugs) throws Exception {
    return campaign(TREE, layers, false, 1_000).run(List.of(bugs));
  }

  private MutationCampaign campaign(
      SourceTree tree, List<MutationLayer> layers, boolean allLayers, long seconds)
      throws IOException {
    long endNanos = bench.monotonicNanos() + Duration.ofSeconds(seconds).toNanos();
    return new MutationCampaign(
        tree,
        new OutcomeStore(folder.resolve("outcomes.jsonl")),
        bench,
        new MutationCampaign.Plan(layers, allLayers, endNanos),
        bench,
        line -> {});
  }

  /** Workbench whose runs take a configured time, by its own clock. */
  private static final class FakeBench implements Workbench, Clock {

    private final List<String> runs = new ArrayList<>();
    private final Map<String, MutationLayer> finds = new HashMap<>();
    private final Set<MutationLayer> brokenWithout = new HashSet<>();
    private final Set<String> unplantable = new HashSet<>();
    private final List<String> restored = new ArrayList<>();
    private PlantedBug planted;
    private long secondsOfRun = 1;
    private long nanos;

    void find(PlantedBug bug, MutationLayer layer) {
      finds.put(bug.name(), layer);
    }

    @Override
    public void plant(PlantedBug bug) {
      planted = bug;
      if (unplantable.contains(bug.name())) {
        throw new PatchFailedException("does not apply");
      }
    }

    @Override
    public void restore() {
      restored.add(planted.name());
      planted = null;
    }

    @Override
    public Finding run(MutationLayer layer, PlantedBug bug, Duration limit) {
      String name = planted == null ? "none" : planted.name();
      runs.add(name + " " + layer.label());
      Duration took = Duration.ofSeconds(secondsOfRun);
      boolean isOver = took.compareTo(limit) > 0;
      Duration spent = isOver ? limit : took;
      nanos += spent.toNanos();
      boolean found =
          planted == null ? brokenWithout.contains(layer) : layer == finds.get(planted.name());
      return new Finding(
          found && !isOver, isOver, spent.toSeconds(), found ? "BrokenTest.breaks" : "");
    }

    @Override
    public long effort(MutationLayer layer) {
      return 1;
    }

    @Override
    public long monotonicNanos() {
      return nanos;
    }

    @Override
    public long wallMillis() {
      return 0;
    }
  }
}
