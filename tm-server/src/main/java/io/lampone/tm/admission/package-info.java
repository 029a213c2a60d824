/** Who is served when there is more to do than can be done. Knows no network. */
@NullMarked
package io.lampone.tm.admission;

import org.jspecify.annotations.NullMarked;
