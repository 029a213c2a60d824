/** Small programs to copy, one subject each. */
@NullUnmarked
package io.lampone.examples;

import org.jspecify.annotations.NullUnmarked;
