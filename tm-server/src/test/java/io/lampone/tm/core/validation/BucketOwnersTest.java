package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.BucketMap.Era;
import io.lampone.protocol.tm.BucketMap.Node;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Changes of the owners of buckets, and Centiman's Table 1 (paper 003, 5.3). */
class BucketOwnersTest {

  private static final int KEYS = 8;

  private final BucketOwners owners = new BucketOwners();

  @Test
  void addingGivesEqualShares_andMovesNoMoreThanThat() {
    for (int k = 1; k <= 9; k++) {
      BucketMap before = owners.map();
      owners.add(node(k), 1000L * k, true);
      BucketMap after = owners.map();
      long moved =
          IntStream.range(0, BucketMap.BUCKETS)
              .filter(bucket -> !after.eras(bucket).equals(before.eras(bucket)))
              .count();
      assertThat(moved).isEqualTo(BucketMap.BUCKETS / (k + 1));
      for (int owner = 0; owner <= k; owner++) {
        assertThat(after.share(owner)).isEqualTo(BucketMap.BUCKETS / (k + 1));
      }
      assertThat(BucketMap.decode(after.encode())).isEqualTo(after);
    }
  }

  /**
   * Expected number of keys in the requests of a transaction with 8 keys: all, those at an old
   * owner, those at the new one; over all buckets. Before the change, of transactions that began
   * before it and commit after it, and of those that began after it. "Before" and "during" are
   * Centiman's Table 1 to the printed digit; "after" it began is its last column, at once.
   */
  @Test
  void keysSentAreThoseOfTable1() {
    double[][] before = {{8, 8, 0}, {8, 4, 0}, {8, 2.7, 0}};
    double[][] during = {{12, 8, 4}, {10.7, 4, 2.7}, {10, 2.7, 2}};
    double[][] after = {{8, 4, 4}, {8, 2.7, 2.7}, {8, 2, 2}};
    for (int k = 1; k <= 3; k++) {
      assertKeys(before[k - 1], 1_000L * k - 1, k);
      owners.add(node(k), 1_000L * k, true);
      owners.forget(1_000L * k - 1);
      assertKeys(during[k - 1], 1_000L * k - 1, k);
      assertKeys(after[k - 1], 1_000L * k, k);
    }
  }

  private void assertKeys(double[] expected, long start, int newest) {
    double[] asked = new double[BucketMap.MAX_VALIDATORS];
    double all = 0;
    BucketMap map = owners.map();
    for (int bucket = 0; bucket < BucketMap.BUCKETS; bucket++) {
      for (Era era : map.eras(bucket)) {
        asked[era.owner()]++;
        all++;
        if (era.since() <= start) {
          break;
        }
      }
    }
    double scale = KEYS / (double) BucketMap.BUCKETS;
    assertThat(all * scale).isCloseTo(expected[0], within(0.05));
    assertThat(asked[0] * scale).isCloseTo(expected[1], within(0.05));
    assertThat(asked[newest] * scale).isCloseTo(expected[2], within(0.05));
  }

  @Test
  void removingGivesTheBucketsToTheOthers_andKeepsTheEraUntilItIsForgotten() {
    owners.add(node(1), 100, true);
    owners.add(node(2), 200, true);
    owners.remove(node(1), 300, true, false);
    assertThat(owners.map().share(0)).isEqualTo(1260);
    assertThat(owners.map().validators()).contains(node(1), node(2));
    owners.forget(300);
    assertThat(owners.map().validators()).containsExactly(node(2));
    assertThat(owners.map().share(1)).isEqualTo(1260);
  }

  @Test
  void aLostValidatorIsNotAskedAnyMore() {
    owners.add(node(1), 100, true);
    owners.remove(node(1), 200, true, true);
    BucketMap map = owners.map();
    assertThat(map.validators()).isEmpty();
    assertThat(map.share(BucketMap.PRIMARY)).isEqualTo(BucketMap.BUCKETS);
    assertThat(map.eras(BucketMap.BUCKETS - 1))
        .containsExactly(
            new Era(200, BucketMap.PRIMARY), new Era(100, BucketMap.LOST), new Era(0, 0));
  }

  /** Seed 3107119 of the simulator: the buckets of the remaining validator were lost instead. */
  @Test
  void aLostValidatorIsTheRightOneWhenTheLastEraOfAnotherEndsToo() {
    owners.add(node(1), 100, false);
    owners.add(node(2), 110, false);
    owners.move(Optional.of(node(1)), Optional.of(node(2)), BucketMap.BUCKETS, 120);
    owners.move(Optional.of(node(2)), Optional.empty(), BucketMap.BUCKETS, 130);
    owners.move(Optional.empty(), Optional.of(node(2)), BucketMap.BUCKETS, 140);
    owners.add(node(3), 150, false);
    assertThat(owners.map().validators()).containsExactly(node(1), node(2), node(3));
    owners.remove(node(2), 160, false, true);
    assertThat(owners.map().validators()).containsExactly(node(3));
    assertThat(owners.map().share(1)).isEqualTo(BucketMap.BUCKETS);
  }

  @Test
  void withoutAShareOfThePrimary_theValidatorsHaveAll() {
    owners.add(node(1), 100, false);
    assertThat(owners.map().share(0)).isZero();
    owners.add(node(2), 200, false);
    assertThat(owners.map().share(1)).isEqualTo(1260);
    owners.remove(node(1), 300, false, true);
    owners.remove(node(2), 400, false, true);
    // Somebody must own them.
    assertThat(owners.map().share(0)).isEqualTo(BucketMap.BUCKETS);
  }

  @Test
  void bucketsMoveAndComeBack_withAtMostFourEras() {
    owners.add(node(1), 100, true);
    for (int i = 0; i < 6; i++) {
      owners.move(Optional.of(node(1)), Optional.empty(), 10, 200 + 20L * i);
      owners.move(Optional.empty(), Optional.of(node(1)), 10, 210 + 20L * i);
    }
    assertThat(owners.map().share(1)).isEqualTo(1260);
    int last = BucketMap.BUCKETS - 1;
    assertThat(owners.map().eras(last)).hasSize(BucketMap.MAX_ERAS);
    assertThat(owners.map().eras(last).get(0)).isEqualTo(new Era(310, 1));
  }

  @Test
  void anEraIsForgottenWhenEveryTransactionHasBegunAfterIt() {
    owners.add(node(1), 100, true);
    owners.move(Optional.of(node(1)), Optional.empty(), BucketMap.BUCKETS, 200);
    List<Era> all = List.of(new Era(200, 0), new Era(100, 1), new Era(0, 0));
    int last = BucketMap.BUCKETS - 1;
    owners.forget(99);
    assertThat(owners.map().eras(last)).isEqualTo(all);
    owners.forget(100);
    assertThat(owners.map().eras(last)).isEqualTo(all.subList(0, 2));
    owners.forget(199);
    assertThat(owners.map().eras(last)).isEqualTo(all.subList(0, 2));
    owners.forget(200);
    assertThat(owners.map().eras(last)).isEqualTo(all.subList(0, 1));
    assertThat(owners.map().validators()).isEmpty();
    assertThat(owners.map().version()).isEqualTo(200);
  }

  @Test
  void aValidatorReceivesAgainWhatThePrimaryHas() {
    owners.adopt(node(1), List.of(1, 2, 3), 100);
    owners.adopt(node(2), List.of(3, 4), 200);
    assertThat(owners.map().share(1)).isEqualTo(3);
    assertThat(owners.map().share(2)).isEqualTo(1);
  }

  @Test
  void twoOfOneName_andTooManyAreRefused_alsoAfterATakeover() {
    Node namesake = new Node("v1", "elsewhere:1", 99);
    owners.adopt(node(1), List.of(1), 100);
    assertThatThrownBy(() -> owners.adopt(namesake, List.of(2), 200))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another validator has this name")
        .hasMessageContaining("name=v1");
    assertThatThrownBy(() -> owners.add(namesake, 200, true))
        .hasMessageContaining("another validator has this name");
    for (int i = 2; i <= BucketMap.MAX_VALIDATORS; i++) {
      owners.adopt(node(i), List.of(i), 100L * i);
    }
    assertThatThrownBy(() -> owners.adopt(node(65), List.of(65), 9_000))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("too many validators, limit=64");
    assertThatThrownBy(() -> owners.add(node(65), 9_000, true))
        .hasMessage("too many validators, limit=64");
    assertThat(owners.map().validators()).hasSize(64).doesNotContain(namesake, node(65));
    assertThat(owners.map().version()).isEqualTo(6_400);
  }

  @Test
  void neighboursWithEqualErasAreOneRun() {
    owners.add(node(1), 100, true);
    BucketMap map = owners.map();
    assertThat(map.runs()).hasSize(2);
    List<BucketMap.Run> single =
        IntStream.range(0, BucketMap.BUCKETS)
            .mapToObj(bucket -> new BucketMap.Run(1, map.eras(bucket)))
            .toList();
    assertThat(new BucketMap(100, map.validators(), single)).isEqualTo(map);
    assertThat(Shares.encode(node(1).address(), map)).isEqualTo("1260-2520");
  }

  @Test
  void impossibleMapsAreMalformed() {
    owners.add(node(1), 100, true);
    String text = owners.map().encode();
    for (String wrong :
        new String[] {
          text.replace("run 1260 100:1", "run 1261 100:1"),
          text.replace("run 1260 100:1", "run 2147483647 100:1"),
          text.replace("run 1260 100:1", "run 0 100:1"),
          text.replace("run 1260 100:1", "run 1259 100:1"),
          text.replace("100:1", "100:2"),
          text.replace("100:1 0:0", "0:0 100:1"),
          text.replace("100:1", "x:1"),
          text.replace("lampone-buckets 1", "lampone-buckets 2"),
          text.replace("version 100", "version 99"),
          ""
        }) {
      assertThatThrownBy(() -> BucketMap.decode(wrong))
          .as(wrong)
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void aTimestampThatIsNotLater_changesNothing() {
    owners.add(node(1), 100, true);
    assertThatThrownBy(() -> owners.add(node(2), 100, true))
        .isInstanceOf(IllegalStateException.class);
    assertThat(owners.map().validators()).containsExactly(node(1));
  }

  private static Node node(int number) {
    return new Node("v" + number, "host:" + number, 1000 + number);
  }
}
