package io.lampone.lab.mutation;

/** Patch that does not apply, does not compile, or cannot be judged. */
final class PatchFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  PatchFailedException(String message) {
    super(message);
  }
}
