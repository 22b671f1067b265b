import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Credentials;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;

/** Plays the requests of Gotify's Android app, in its order (gotify/android: LoginActivity, InitializationActivity, WebSocketService). */
public class GotifyApp {
  private static final OkHttpClient CLIENT =
      new OkHttpClient.Builder()
          .readTimeout(0, TimeUnit.MILLISECONDS)
          .pingInterval(1, TimeUnit.MINUTES)
          .build();
  private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");
  private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\"");

  /** Arguments: sign-in URL EMAIL CODE; listen URL TOKEN LAST-ID; sign-out URL TOKEN. */
  public static void main(String[] args) throws Exception {
    String url = args[1];
    switch (args[0]) {
      case "sign-in" -> signIn(url, Credentials.basic(args[2], args[3]));
      case "listen" -> listen(url, args[2], Long.parseLong(args[3]));
      case "sign-out" -> signOut(url, args[2]);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void signIn(String url, String basic) throws IOException {
    call(new Request.Builder().url(url + "/version").build());
    call(new Request.Builder().url(url + "/current/user").header("Authorization", basic).build());
    RequestBody body = RequestBody.create("{\"name\":\"Pixel 9\"}", MediaType.get("application/json"));
    Request request =
        new Request.Builder().url(url + "/client").header("Authorization", basic).post(body).build();
    print("token " + find(TOKEN, call(request)));
    close();
  }

  /** Prints the id of every message: first of those that it missed, then of those on the stream, 100 ms after each. */
  private static void listen(String url, String token, long lastId) throws IOException {
    call(get(url + "/current/user", token));
    Matcher missed = ID.matcher(call(get(url + "/message?limit=100&since=0", token)));
    while (missed.find()) if (Long.parseLong(missed.group(1)) > lastId) print("missed " + missed.group(1));
    call(get(url + "/application", token));
    Request stream = new Request.Builder().url(url + "/stream?token=" + token).build();
    CLIENT.newWebSocket(
        stream,
        new WebSocketListener() {
          @Override
          public void onOpen(WebSocket socket, Response response) {
            print("open");
          }

          @Override
          public void onMessage(WebSocket socket, String text) {
            try {
              Thread.sleep(100);
            } catch (InterruptedException error) {
              throw new IllegalStateException(error);
            }
            print("message " + find(ID, text));
          }

          @Override
          public void onFailure(WebSocket socket, Throwable error, Response response) {
            print("failure " + error.getClass().getSimpleName());
            close();
          }
        });
  }

  private static void signOut(String url, String token) throws IOException {
    String clients = call(get(url + "/client", token));
    if (!clients.contains(token)) throw new IOException("The list has no own client.");
    call(
        new Request.Builder()
            .url(url + "/client/" + find(ID, clients))
            .header("X-Gotify-Key", token)
            .delete()
            .build());
    try (Response response = CLIENT.newCall(get(url + "/current/user", token)).execute()) {
      print("signed out " + response.code());
    }
    close();
  }

  private static Request get(String url, String token) {
    return new Request.Builder().url(url).header("X-Gotify-Key", token).build();
  }

  private static String call(Request request) throws IOException {
    try (Response response = CLIENT.newCall(request).execute()) {
      String text = response.body().string();
      if (response.isSuccessful()) return text;
      throw new IOException(request.url().encodedPath() + ": " + response.code() + " " + text);
    }
  }

  private static String find(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) throw new IllegalStateException(text);
    return matcher.group(1);
  }

  private static void print(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static void close() {
    CLIENT.dispatcher().executorService().shutdown();
    CLIENT.connectionPool().evictAll();
  }
}
