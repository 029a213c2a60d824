package io.lampone.faultlab.work;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/** Hands each piece of text to the system at once, so that it outlives this process. */
public final class LineWriter extends FilterWriter {

  public LineWriter(Writer target) {
    super(target);
  }

  @Override
  public void write(String text, int offset, int length) throws IOException {
    super.write(text, offset, length);
    flush();
  }
}
