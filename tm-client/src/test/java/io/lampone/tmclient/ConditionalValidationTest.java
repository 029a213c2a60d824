package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Conditional validations and servers that know them, or do not. */
@Timeout(180)
final class ConditionalValidationTest {

  private static final long START = 1L << 60;

  private ScriptedServer server;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client =
        TransactionManagerClient.create(
            TransactionManagerClientConfig.builder()
                .backoffCap(Duration.ofMillis(20))
                .connectTimeout(Duration.ofMinutes(1))
                .requestTimeout(Duration.ofMinutes(1))
                .stallTimeout(Duration.ofMinutes(1))
                .build(),
            server.address());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  /** A decision that is less than what was asked for would be taken for all of it. */
  @Test
  void anOlderServerIsNotAsked() throws Exception {
    CompletableFuture<Validation> validation = client.validate(conditional());
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = greeted(Capabilities.PRIORITY);
    WireRequest request = talk.request();
    assertThat(request).isInstanceOf(WireRequest.Begin.class);
    talk.reply(
        new WireReply.Begun(request.id(), new Begin(START, 256, Proofs.OPEN.grant(START, 0))));
    get(begin);
    ExecutionException failure =
        catchThrowableOfType(ExecutionException.class, () -> get(validation));
    assertThat(failure)
        .cause()
        .isInstanceOfSatisfying(
            TransactionManagerException.class,
            e -> assertThat(e.kind()).isEqualTo(Kind.INCOMPATIBLE))
        .hasMessageStartingWith("SERIALIZABLE needs a transaction manager that");
  }

  /** Nor is it on the line of a thread that waits. */
  @Test
  void anOlderServerIsNotAskedOnTheLineEither() throws Exception {
    long soon = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    CompletableFuture<Begin> first =
        CompletableFuture.supplyAsync(() -> client.beginHere(soon)).thenCompose(begin -> begin);
    ScriptedServer.Talk ordinary = greeted(Capabilities.PRIORITY);
    WireRequest request = ordinary.request();
    ordinary.reply(
        new WireReply.Begun(request.id(), new Begin(START, 256, Proofs.OPEN.grant(START, 0))));
    get(first);
    CompletableFuture<Validation> opening =
        CompletableFuture.supplyAsync(() -> client.validateHere(conditional(), soon))
            .thenCompose(validation -> validation);
    assertThat(catchThrowableOfType(ExecutionException.class, () -> get(opening)))
        .hasMessageContaining("SERIALIZABLE needs");
    ScriptedServer.Talk line = greeted(Capabilities.PRIORITY);
    while (client.statistics().connections() < 2) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    CompletableFuture<Validation> validation =
        CompletableFuture.supplyAsync(() -> client.validateHere(conditional(), soon))
            .thenCompose(answer -> answer);
    assertThat(catchThrowableOfType(ExecutionException.class, () -> get(validation)))
        .hasMessageContaining("SERIALIZABLE needs");
    CompletableFuture<Begin> second =
        CompletableFuture.supplyAsync(() -> client.beginHere(soon)).thenCompose(begin -> begin);
    request = line.request();
    assertThat(request).as("what comes first on the line").isInstanceOf(WireRequest.Begin.class);
    line.reply(
        new WireReply.Begun(
            request.id(), new Begin(START + 256, 256, Proofs.OPEN.grant(START + 256, 0))));
    get(second);
  }

  @Test
  void itStaysConditionalWhenItIsRepeated() throws Exception {
    CompletableFuture<Validation> validation = client.validate(conditional());
    ScriptedServer.Talk first = greeted(Capabilities.ASSIGNED);
    assertThat(((WireRequest.Validate) first.request()).request().conditional()).isTrue();
    first.hangUp();
    ScriptedServer.Talk second = greeted(Capabilities.ASSIGNED);
    WireRequest.Validate again = (WireRequest.Validate) second.request();
    assertThat(again.request().firstSending()).isFalse();
    assertThat(again.request().conditional()).isTrue();
    Validation assigned = new Validation.Assigned(START + 256, new Tag(1, 2));
    second.reply(new WireReply.Validated(again.id(), assigned));
    assertThat(get(validation)).isEqualTo(assigned);
  }

  private ScriptedServer.Talk greeted(long capabilities) throws Exception {
    ScriptedServer.Talk talk = server.nextUngreeted();
    long offered = Handshake.Hello.readFrom(talk.read()).capabilities();
    assertThat(Capabilities.has(offered, capabilities | Capabilities.ASSIGNED)).isTrue();
    talk.say(
        new Handshake.Welcome(
            1, capabilities, 1, ScriptedServer.MAX_FRAME_BYTES, ScriptedServer.MAX_MESSAGES));
    return talk;
  }

  private static Validator.Request conditional() {
    long[] one = {7};
    return new Validator.Request(START, Proofs.OPEN.grant(START, 0), true, one, one, true);
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }
}
