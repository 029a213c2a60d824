package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Member;
import io.lampone.protocol.wire.Transfer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShareReportsTest {

  private final Owner owner = new Owner();
  private final ShareReports reports = new ShareReports(owner, SystemClock.INSTANCE);

  private static final class Owner implements ShareReports.Owner {
    private final List<String> adopted = new ArrayList<>();
    private boolean refuses;
    private int lists;
    private int questions;

    @Override
    public CompletableFuture<List<Member>> registered() {
      lists++;
      return CompletableFuture.completedFuture(List.of(new Member("v/1", "v:1", 0, "1")));
    }

    @Override
    public CompletableFuture<Transfer.Reply.Voting> answer(String address) {
      questions++;
      return CompletableFuture.completedFuture(
          new Transfer.Reply.Voting("v", 7, 0, new Transfer.Reply.Counts(1, 0, 0, 0, 0), "0-100"));
    }

    @Override
    public void adopt(String address, Transfer.Reply.Voting voting) {
      if (refuses) {
        throw new IllegalStateException("no timestamps at the moment");
      }
      adopted.add(voting.share());
    }
  }

  /** The validator has been told of another share by then. */
  @Test
  void whatCannotBeAdoptedIsKeptForTheNextTick_andNotAskedForAgain() {
    owner.refuses = true;
    tick(0);
    tick(10);
    assertThat(owner.adopted).isEmpty();
    owner.refuses = false;
    tick(20);
    tick(30);
    assertThat(owner.adopted).containsExactly("0-100");
    assertThat(owner.questions).isEqualTo(1);
  }

  @Test
  void theRegistryIsReadEveryThreeSecondsForAMinute() {
    for (int millis = 0; millis <= 300_000; millis += 100) {
      tick(millis);
    }
    assertThat(owner.lists).isEqualTo(21);
    assertThat(owner.adopted).hasSize(1);
  }

  private void tick(long millis) {
    reports.tick(TimeUnit.MILLISECONDS.toNanos(millis), BucketMap.OF_PRIMARY);
  }
}
