package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a server is taken for dead, and when it is only slow, or has asked for a pause. */
@Timeout(180)
final class StallTest {

  private static final long START = 1L << 60;

  private ScriptedServer server;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  /** Else a dead connection is kept for ever, and everything that is asked there fails. */
  @Test
  void aServerThatFallsSilentIsLeftThoughRequestsAreGivenUpSooner() throws Exception {
    try (TransactionManagerClient client =
        client(
            config().requestTimeout(Duration.ofSeconds(1)).stallTimeout(Duration.ofSeconds(4)))) {
      CompletableFuture<Begin> begin = askUntilAnswered(client);
      server.next().request();
      answerUntilDone(begin, server.next());
      assertThat(get(begin).startTimestamp()).isEqualTo(START);
    }
  }

  /** Else frames that nobody takes pile up at the client. */
  @Test
  void aRequestThatIsGivenUpKeepsItsPlaceUntilTheServerAnswers() throws Exception {
    int frames = 2;
    try (TransactionManagerClient client =
        client(config().requestTimeout(Duration.ofSeconds(2)).maxBatchesInFlight(frames))) {
      CompletableFuture<Begin> begin = client.begin();
      ScriptedServer.Talk talk = server.next();
      List<WireRequest> unanswered = new ArrayList<>();
      for (int i = 0; i < frames; i++) {
        unanswered.add(talk.request());
        assertGivenUp(begin);
        begin = client.begin();
      }
      CompletableFuture<Begin> oneTooMany = begin;
      assertThat(talk.awaitInput(oneTooMany::isDone)).isFalse();
      assertGivenUp(oneTooMany);
      CompletableFuture<Begin> waiting = askUntilAnswered(client);
      // Twice: what has been answered makes room once.
      answer(talk, unanswered.get(0));
      answer(talk, unanswered.get(0));
      answerUntilDone(waiting, talk);
      get(waiting);
    }
  }

  @Test
  void aServerThatAnswersPieceByPieceIsNotLeft() throws Exception {
    int pieces = 6;
    try (TransactionManagerClient client =
        client(config().stallTimeout(Duration.ofSeconds(3)).maxBatchesInFlight(1))) {
      CompletableFuture<Begin> first = client.begin();
      ScriptedServer.Talk talk = server.next();
      WireRequest alone = talk.request();
      List<CompletableFuture<Begin>> together = new ArrayList<>();
      for (int i = 0; i < pieces; i++) {
        together.add(client.begin());
      }
      answer(talk, alone);
      get(first);
      List<WireRequest> batch = talk.requests();
      assertThat(batch).hasSize(pieces);
      for (int i = 0; i < pieces; i++) {
        rest(600);
        answer(talk, batch.get(i));
        get(together.get(i));
      }
    }
  }

  @Test
  void aRefusedRequestStaysAwayForAsLongAsTheServerSays() throws Exception {
    try (TransactionManagerClient client = client(config().backoffCap(Duration.ofMillis(20)))) {
      CompletableFuture<Begin> begin = client.begin();
      ScriptedServer.Talk talk = server.next();
      WireRequest refused = talk.request();
      long told = System.nanoTime();
      talk.reply(new WireReply.Failed(refused.id(), WireReply.Failure.OVERLOADED, 500));
      WireRequest again = talk.request();
      assertThat(Duration.ofNanos(System.nanoTime() - told)).isGreaterThanOrEqualTo(ms(500));
      answer(talk, again);
      get(begin);
    }
  }

  @Test
  void aPauseThatIsLongerThanTheTimeOfTheRequestEndsWithIt() throws Exception {
    try (TransactionManagerClient client = client(config().requestTimeout(Duration.ofSeconds(3)))) {
      CompletableFuture<Begin> begin = client.begin();
      ScriptedServer.Talk talk = server.next();
      talk.reply(
          new WireReply.Failed(talk.request().id(), WireReply.Failure.OVERLOADED, 3_600_000));
      assertGivenUp(begin);
      assertThatThrownBy(begin::join).hasMessageContaining("overloaded");
      CompletableFuture<Begin> next = client.begin();
      answer(talk, talk.request());
      get(next);
    }
  }

  private static CompletableFuture<Begin> askUntilAnswered(TransactionManagerClient client) {
    return client.begin().exceptionallyCompose(failure -> askUntilAnswered(client));
  }

  /** Answers every request: one that the client has given up is asked again. */
  private static void answerUntilDone(CompletableFuture<Begin> begin, ScriptedServer.Talk talk)
      throws Exception {
    while (talk.awaitInput(begin::isDone)) {
      answer(talk, talk.request());
    }
  }

  private static void answer(ScriptedServer.Talk talk, WireRequest request) throws Exception {
    talk.reply(
        new WireReply.Begun(request.id(), new Begin(START, 256, Proofs.OPEN.grant(START, 0))));
  }

  private static void assertGivenUp(CompletableFuture<Begin> begin) {
    assertThatThrownBy(() -> get(begin))
        .hasCauseInstanceOf(TransactionManagerException.class)
        .hasMessageContaining("in time");
  }

  private static void rest(long millis) {
    new CompletableFuture<Void>().completeOnTimeout(null, millis, TimeUnit.MILLISECONDS).join();
  }

  private static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  private TransactionManagerClient client(TransactionManagerClientConfig.Builder config) {
    return TransactionManagerClient.create(config.build(), server.address());
  }

  private static TransactionManagerClientConfig.Builder config() {
    return TransactionManagerClientConfig.builder().stallTimeout(Duration.ofSeconds(60));
  }
}
