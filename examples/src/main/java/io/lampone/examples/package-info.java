/** Small programs to copy from, one subject each. */
@NullUnmarked
package io.lampone.examples;

import org.jspecify.annotations.NullUnmarked;
