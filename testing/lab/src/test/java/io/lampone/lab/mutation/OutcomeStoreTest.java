package io.lampone.lab.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutcomeStoreTest {

  @TempDir private Path folder;

  @Test
  void aFind_holdsForTheSamePatchAndProduct_whateverTheTests() throws IOException {
    LayerOutcome found = outcome("patch", "product", "tests", 1).with(true, 3, "ThingTest.adds");
    store().add(found);

    assertThat(store().find(outcome("patch", "product", "tests", 1))).contains(found);
    assertThat(store().find(outcome("patch", "product", "more tests", 9))).contains(found);
    assertThat(store().find(outcome("other", "product", "tests", 1))).isEmpty();
    assertThat(store().find(outcome("patch", "other", "tests", 1))).isEmpty();
  }

  @Test
  void aMiss_holdsForTheSameTestsAndNoMoreEffort() throws IOException {
    LayerOutcome missed = outcome("patch", "product", "tests", 100);
    store().add(missed);

    assertThat(store().find(outcome("patch", "product", "tests", 100))).contains(missed);
    assertThat(store().find(outcome("patch", "product", "tests", 50))).contains(missed);
    assertThat(store().find(outcome("patch", "product", "tests", 101))).isEmpty();
    assertThat(store().find(outcome("patch", "product", "other tests", 100))).isEmpty();
  }

  @Test
  void outcomesOfOtherLayersAndBugs_areOthers() throws IOException {
    store().add(outcome("patch", "product", "tests", 1));

    LayerOutcome wanted = outcome("patch", "product", "tests", 1);
    assertThat(store().find(wanted)).isPresent();
    assertThat(store().find(of("other", "unit", wanted))).isEmpty();
    assertThat(store().find(of("bug", "lab", wanted))).isEmpty();
  }

  @Test
  void theNewestOfAnyProduct_isFoundToo() throws IOException {
    OutcomeStore store = store();
    store.add(outcome("patch", "first", "tests", 1));
    LayerOutcome second = outcome("patch", "second", "tests", 1);
    store.add(second);

    assertThat(store.findOlder(outcome("patch", "third", "tests", 1))).contains(second);
    assertThat(store.findOlder(outcome("other", "third", "tests", 1))).isEmpty();
  }

  @Test
  void halfALine_isIgnored_andWhatFollowsIsRead() throws IOException {
    LayerOutcome first = outcome("first", "product", "tests", 1);
    store().add(first);
    Files.writeString(file(), "\n{\"subject\":\"bu", StandardOpenOption.APPEND);
    LayerOutcome second = outcome("second", "product", "tests", 1);
    store().add(second);

    assertThat(store().find(first)).contains(first);
    assertThat(store().find(second)).contains(second);
  }

  private OutcomeStore store() throws IOException {
    return new OutcomeStore(file());
  }

  private Path file() {
    return folder.resolve("outcomes.jsonl");
  }

  private static LayerOutcome outcome(String patch, String product, String tests, long effort) {
    return new LayerOutcome("bug", "unit", patch, product, tests, "0123abcd", effort, false, 0, "");
  }

  private static LayerOutcome of(String subject, String layer, LayerOutcome other) {
    return new LayerOutcome(
        subject,
        layer,
        other.patch(),
        other.product(),
        other.tests(),
        other.commit(),
        other.effort(),
        false,
        0,
        "");
  }
}
