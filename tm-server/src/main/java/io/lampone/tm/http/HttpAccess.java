package io.lampone.tm.http;

import java.util.Optional;

/** Access control for HTTP requests. */
@FunctionalInterface
public interface HttpAccess {

  /** Returns the refusal of a request; empty if it is permitted. */
  Optional<HttpPage> refusal(HttpHead request);
}
