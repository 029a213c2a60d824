package io.lampone.coprocessor.healer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.junit.jupiter.api.Test;

class HealerConnectionTest {

  /** Connections made, in order; true if closed. */
  private final List<Boolean> closed = new ArrayList<>();

  private final HealerConnection healers = new HealerConnection(this::make);

  private CompletableFuture<AsyncConnection> make() {
    int number = closed.size();
    closed.add(false);
    return CompletableFuture.completedFuture(
        (AsyncConnection)
            Proxy.newProxyInstance(
                AsyncConnection.class.getClassLoader(),
                new Class<?>[] {AsyncConnection.class},
                (proxy, method, arguments) -> {
                  switch (method.getName()) {
                    case "close" -> closed.set(number, true);
                    case "getAdmin" -> {
                      return Proxy.newProxyInstance(
                          AsyncAdmin.class.getClassLoader(),
                          new Class<?>[] {AsyncAdmin.class},
                          (admin, asked, values) -> null);
                    }
                    case "equals" -> {
                      return proxy == arguments[0];
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                  }
                  return null;
                }));
  }

  /** A request on the first connection fails when the second one is in use by others. */
  @Test
  void aLateFailureClosesItsOwnConnectionOnly() throws Exception {
    CompletableFuture<Void> late = new CompletableFuture<>();
    healers.admin();
    Thread waiting = new Thread(() -> fail(late));
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.sleep(1);
    }
    fail(CompletableFuture.failedFuture(new IOException("no answer")));
    assertThat(closed).containsExactly(true);
    healers.admin();
    late.completeExceptionally(new IOException("the connection was closed"));
    waiting.join();
    assertThat(closed).containsExactly(true, false);
    healers.close();
    assertThat(closed).containsExactly(true, true);
  }

  @Test
  void anAnswerThatRefusesKeepsTheConnection() throws Exception {
    healers.admin();
    fail(CompletableFuture.failedFuture(new NoSuchColumnFamilyException("f")));
    assertThat(closed).containsExactly(false);
    healers.close();
  }

  private void fail(CompletableFuture<Void> request) {
    assertThatThrownBy(() -> healers.await(request))
        .isInstanceOfAny(IOException.class, ExecutionException.class);
  }
}
