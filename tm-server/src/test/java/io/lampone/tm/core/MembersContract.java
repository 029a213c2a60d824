package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.Member;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every list of members must do. */
public abstract class MembersContract {

  protected static final Member ONE = new Member("host:1/a", "host:1", 5, "1.0");
  protected static final Member TWO = new Member("host:2/b", "host:2", 4, "1.0");

  /** An empty list; the same one within a test. */
  protected abstract Members members() throws Exception;

  @Test
  void nobodyIsThereAtFirst() throws Exception {
    assertThat(await(members().list())).isEmpty();
    await(members().leave(ONE));
  }

  @Test
  void whoeverJoinedIsListedByAgeUntilHeLeaves() throws Exception {
    await(members().join(ONE));
    await(members().join(TWO));
    assertThat(await(members().list())).containsExactly(TWO, ONE);
    await(members().leave(TWO));
    assertThat(await(members().list())).containsExactly(ONE);
  }

  @Test
  void joiningAgainChangesNothing() throws Exception {
    await(members().join(ONE));
    await(members().join(ONE));
    assertThat(await(members().list())).containsExactly(ONE);
  }

  protected static <T> T await(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }
}
